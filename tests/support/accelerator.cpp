#include "support/accelerator.h"

#include <atomic>
#include <mutex>

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/native/CPUFallback.h>
#include <c10/core/Allocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <sys/mman.h>
#include <torch/library.h>
#include <torch/version.h>
#include <unistd.h>

// LibTorch 2 lets an allocator change when it allocates, and asks it to copy.
#if TORCH_VERSION_MAJOR >= 2
#define PLUMB_ALLOCATE_CONST
#else
#define PLUMB_ALLOCATE_CONST const
#endif

namespace plumb::test {
namespace {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;

std::atomic<int64_t> ops_made = 0;

// ---- memory that nobody can touch ----

struct Pages {
  void* first;
  size_t bytes;
};

void unmap(void* context) {
  const auto* pages = static_cast<Pages*>(context);
  munmap(pages->first, pages->bytes);
  delete pages;
}

class ProtectedAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t wanted) PLUMB_ALLOCATE_CONST override {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = (wanted / page + 1) * page;
    void* first = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TORCH_CHECK(first != MAP_FAILED, "no memory for ", wanted, " bytes");
    return {first, new Pages{first, bytes}, &unmap, accelerator()};
  }
#if TORCH_VERSION_MAJOR >= 2
  void copy_data(void*, const void*, size_t) const override {
    TORCH_CHECK(false, "storages are not copied here");
  }
#endif
};

ProtectedAllocator allocator;
REGISTER_ALLOCATOR(kType, &allocator)

/// Opens the memory of a tensor, if it is the device's, to the end of the scope.
class Opened {
 public:
  explicit Opened(const at::Tensor& x) {
    if (x.device().type() != kType) return;
    pages_ = static_cast<Pages*>(x.storage().data_ptr().get_context());
    if (pages_) mprotect(pages_->first, pages_->bytes, PROT_READ | PROT_WRITE);
  }
  ~Opened() {
    if (pages_) mprotect(pages_->first, pages_->bytes, PROT_NONE);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

 private:
  Pages* pages_ = nullptr;
};

/// The same numbers as a tensor of the CPU, in place.
at::Tensor as_cpu(const at::Tensor& x) {
  if (x.device().type() != kType) return x;
  return at::from_blob(x.data_ptr(), x.sizes(), x.strides(), at::TensorOptions(x.scalar_type()));
}

// ---- what LibTorch asks of a device ----

class OneDevice final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kType; }
  c10::Device exchangeDevice(c10::Device) const override { return accelerator(); }
  c10::Device getDevice() const override { return accelerator(); }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const noexcept override { return only_stream(); }
  c10::Stream getDefaultStream(c10::Device) const override { return only_stream(); }
  c10::Stream exchangeStream(c10::Stream) const noexcept override { return only_stream(); }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }

 private:
  static c10::Stream only_stream() { return c10::Stream(c10::Stream::DEFAULT, accelerator()); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, OneDevice)

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::Tensor empty_there(at::IntArrayRef size, c10::optional<at::ScalarType> dtype, c10::optional<at::Layout>,
                       c10::optional<at::Device>, c10::optional<bool>, c10::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, &allocator, kKeys, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided_there(at::IntArrayRef size, at::IntArrayRef stride, c10::optional<at::ScalarType> dtype,
                               c10::optional<at::Layout>, c10::optional<at::Device>, c10::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &allocator, kKeys, c10::dtype_or_default(dtype));
}

/// The only function that touches the device's memory.
at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  static std::mutex one_at_a_time;  // backward passes have a thread of their own
  const std::lock_guard lock(one_at_a_time);
  const at::NoGradGuard no_grad;
  const Opened source(from), target(to);
  as_cpu(to).copy_(as_cpu(from));
  return to;
}

/// The fallback makes an output on the CPU, whose size an empty one of the device does not know yet.
const at::Tensor& resize_in_place(const at::Tensor& x, at::IntArrayRef size, c10::optional<at::MemoryFormat>) {
  at::TensorImpl* impl = x.unsafeGetTensorImpl();
  const size_t bytes =
      static_cast<size_t>(c10::multiply_integers(size) + impl->storage_offset()) * x.dtype().itemsize();
  c10::StorageImpl* storage = impl->unsafe_storage().unsafeGetStorageImpl();
  if (bytes > storage->nbytes()) {
    TORCH_CHECK(x.numel() == 0, "a tensor with numbers in it cannot grow here");
    storage->set_data_ptr_noswap(allocator.allocate(bytes));
    storage->set_nbytes(bytes);
  }
  impl->set_sizes_contiguous(size);
  return x;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  if (from.sizes() != to.sizes()) resize_in_place(to, from.sizes(), {});
  return copy_from(from, to, false);
}

// As a real device would: only numbers that stand for scalars may come from elsewhere.
void refuse_tensors_of_the_cpu(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
  for (const c10::IValue& value : torch::jit::last(stack, op.schema().arguments().size())) {
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const at::Tensor& x = value.toTensor();
    TORCH_CHECK(!x.is_cpu() || x.dim() == 0, op.schema().name(), " on the accelerator has a tensor of the CPU");
  }
}

void fall_back(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  ++ops_made;
  refuse_tensors_of_the_cpu(op, *stack);
  at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&fall_back>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", &empty_there);
  library.impl("empty_strided", &empty_strided_there);
  library.impl("_copy_from", &copy_from);
  library.impl("_copy_from_and_resize", &copy_from_and_resize);
  library.impl("resize_", &resize_in_place);
  library.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  library.impl("view", TORCH_FN(at::native::view));
  library.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  // LibTorch would make it of other ops where a device has none, which rounds in other places than the CPU's.
  library.impl("native_layer_norm", torch::CppFunction::makeFromBoxedFunction<&fall_back>());
}

}  // namespace

c10::Device accelerator() {
  return {kType, 0};
}

int64_t accelerator_ops() {
  return ops_made;
}

}  // namespace plumb::test
