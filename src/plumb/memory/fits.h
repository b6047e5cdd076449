#pragma once

#include <string>

namespace plumb::memory {

/// Throws UserError, with the limit's name and the remedy, if so many bytes more cannot be had: a process that tries is
/// ended by the system, or by the limit in the middle of its work. `what` needs them: "weights and gradients".
void check_fits(const std::string& what, double bytes, const std::string& remedy);

/// Has OpenBLAS take now what it needs for this many threads, and the threads be started, if `ulimit -v` or `-d` is
/// set: later, when tensors have used it up, it would wait for ever. Throws UserError if the limit leaves too little
/// for it.
void claim_blas_memory(int threads);

}  // namespace plumb::memory
