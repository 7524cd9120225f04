"""The script that Streamlit runs for each page view; it must hold nothing else.

Streamlit runs it by its path, outside any package, and makes it `__main__`: a worker process that
is spawned later executes it again under another name, and must find nothing to do.
"""

from importlib import import_module

if __name__ == "__main__":
    import_module("web.ui.app").main()
