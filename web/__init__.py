"""What talks: the API, the pages, and what fetches metrics; the only rooms that open sockets."""
