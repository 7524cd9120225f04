"""What Streamlit has no widget for."""
