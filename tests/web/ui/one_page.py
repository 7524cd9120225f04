"""A script that shows the one page named in the session; a worker that executes it does nothing."""

from importlib import import_module

if __name__ == "__main__":
    import streamlit as st

    import_module(f"web.ui.views.{st.session_state['view']}").show()
