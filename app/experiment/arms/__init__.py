"""Arms: what a talk is compared with, from what its run and the runs beside it have on record."""
