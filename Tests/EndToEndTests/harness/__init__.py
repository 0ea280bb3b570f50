"""What the end-to-end tests stand on: the relay as a process, devices that talk to it, and sockets by hand."""
