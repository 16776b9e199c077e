from .columns import (
    PROMPT_COLUMNS as PROMPT_COLUMNS,
    RUN_COLUMN as RUN_COLUMN,
    RUN_COLUMNS as RUN_COLUMNS,
    ColumnMeanings as ColumnMeanings,
    TableRow as TableRow,
)
from .csv_files import clean_cell as clean_cell, format_csv as format_csv
from .run_tables import DataTable as DataTable, build_tables as build_tables, list_prompts as list_prompts
