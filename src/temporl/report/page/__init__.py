"""The report page: one HTML file about everything in a results folder.

Start with `page.py` (`write_page`) and `groups.py`, which finds the runs below a folder. Every
other module computes the data of one part of the page; `page.html` and the scripts draw it.
"""

from temporl.report.page.page import page_text, write_page

__all__ = ["page_text", "write_page"]
