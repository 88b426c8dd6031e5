"""One module per command; `exits` is the only place that ends the program."""
