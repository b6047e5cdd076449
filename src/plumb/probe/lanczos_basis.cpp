#include "plumb/probe/lanczos_basis.h"

#include <cerrno>

#include <ATen/ATen.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plumb/base/error.h"

namespace plumb::probe {

LanczosBasis::LanczosBasis(int64_t length, int64_t most, const std::filesystem::path& file, const Where& where)
    : length_(length), most_(most), where_(where) {
  if (file.empty()) return;
  TORCH_CHECK(where == Where(), "a file holds floats of the CPU");
  const auto fail = [&] {
    throw DiskError(file.string(), "cannot hold the vectors of the measurement: " + reason_of(errno),
                    "Free some space or name another folder");
  };
  const auto bytes = static_cast<size_t>(length_ * most_) * sizeof(float);
  file_ = FileDescriptor(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  // posix_fallocate: a disk that is full says so here, and not by a signal in the middle of a write to the map.
  if (!file_.is_open()) fail();
  if (const int error = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(bytes)); error != 0) errno = error, fail();
  void* map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (map == MAP_FAILED) fail();
  mapped_ = static_cast<float*>(map);
}

LanczosBasis::~LanczosBasis() {
  if (mapped_) ::munmap(mapped_, static_cast<size_t>(length_ * most_) * sizeof(float));
}

at::Tensor LanczosBasis::at(int64_t index) {
  TORCH_CHECK(index >= 0 && index < most_, "vector ", index, " of a basis of ", most_);
  if (mapped_) return at::from_blob(mapped_ + index * length_, {length_}, where_.options());
  while (std::ssize(in_memory_) <= index) in_memory_.push_back(at::zeros({length_}, where_.options()));
  return in_memory_[static_cast<size_t>(index)];
}

void LanczosBasis::sync() {
  if (mapped_) ::msync(mapped_, static_cast<size_t>(length_ * most_) * sizeof(float), MS_SYNC);
}

}  // namespace plumb::probe
