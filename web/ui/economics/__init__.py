"""Parts of the pages on money: what hardware costs, what tokens must bring in, what hits earn."""
