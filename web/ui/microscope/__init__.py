"""The parts of the request microscope: what is chosen, all requests, one of them."""
