#pragma once

/// The commands that need tensors. `argv[0]` is the name of the command.
namespace plumb {

int train_command(int argc, char** argv);
int generate_command(int argc, char** argv);
int evaluate_command(int argc, char** argv);
int probe_command(int argc, char** argv);
int demo_command(int argc, char** argv);

/// Gives ATen and BLAS their threads: as many as asked for; 0: OMP_NUM_THREADS, else every core the process may use.
/// (Debian's LibTorch starts with one.)
void set_threads(int wanted);

}  // namespace plumb
