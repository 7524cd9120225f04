"""Holds the place of the pages until they are there."""

if __name__ == "__main__":
    __import__("streamlit").write("The pages are not here yet; the API is: /api/docs")
