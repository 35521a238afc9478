"""Reports with markup: headings, lists, tables, JSON and check boxes as the plain lines that the reader knows."""
