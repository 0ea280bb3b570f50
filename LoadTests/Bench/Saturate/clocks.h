// Time, and CPU time of the server and of ourselves, in seconds.
#pragma once

double now();

// CPU seconds of all threads of a process so far, in steps of a clock tick. Throws Failure if it has ended.
double server_seconds(int process);
double own_seconds();
