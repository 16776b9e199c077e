from .file_types import list_paper_files as list_paper_files
from .program import read_papers as read_papers
