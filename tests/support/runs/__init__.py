"""The protocols as commands on a model server of the test, whole or in trouble."""
