"""The pages: Streamlit hosts them, the live areas are components that talk to the API."""
