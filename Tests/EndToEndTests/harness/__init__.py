"""The harness of the end-to-end tests: the relay as a process, devices that talk to it, and raw sockets."""
