"""What `make bench` is made of: processes, servers, load, figures and the report."""
