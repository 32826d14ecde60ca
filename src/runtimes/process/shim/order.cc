#include "runtimes/process/shim/order.h"

#include <cerrno>
#include <cstring>

namespace jettison::shim {
namespace {

// Takes strings that each end with a NUL from a text that ends with one. After the first fault all
// are empty.
class Strings {
 public:
  Strings(char* data, std::size_t size) : at_(data), end_(data + size) {}

  char* Take() {
    ok_ = ok_ && at_ < end_;
    if (!ok_) return end_ - 1;
    char* const text = at_;
    at_ += std::strlen(text) + 1;
    return text;
  }
  // Null: it is empty.
  const char* TakeIfAny() {
    const char* const text = Take();
    return *text == '\0' ? nullptr : text;
  }
  std::int64_t TakeNumber() {
    const char* const text = Take();
    char* end = nullptr;
    errno = 0;
    const std::int64_t number = std::strtoll(text, &end, 10);
    ok_ = ok_ && errno == 0 && end != text && *end == '\0';
    return number;
  }
  // The list's length; makes room for its items.
  template <typename T>
  std::size_t TakeLength(List<T>& list) {
    const std::int64_t count = TakeNumber();
    ok_ = ok_ && count >= 0 && count <= end_ - at_;
    if (!ok_) return 0;
    list.items = static_cast<T*>(std::calloc(static_cast<std::size_t>(count) + 1, sizeof(T)));
    ok_ = list.items != nullptr;
    list.count = ok_ ? static_cast<std::size_t>(count) : 0;
    return list.count;
  }
  void TakeAll(List<char*>& list) {
    const std::size_t count = TakeLength(list);
    for (std::size_t i = 0; i < count; ++i) list.items[i] = Take();
  }
  [[nodiscard]] bool AllTaken() const { return ok_ && at_ == end_; }

 private:
  char* at_;
  char* end_;
  bool ok_ = true;
};

}  // namespace

bool ParseOrder(char* data, std::size_t size, Order& order) {
  if (size == 0 || data[size - 1] != '\0') return false;
  Strings strings(data, size);
  order.run_dir = strings.TakeIfAny();
  order.mode = order.run_dir == nullptr ? Mode::kHook : Mode::kRun;
  order.log_path = strings.Take();
  order.boot_id = strings.Take();
  order.oom_kills = strings.TakeNumber();
  order.oom_score_adj = strings.TakeNumber();
  order.scratch_dir = strings.Take();
  order.working_dir = strings.TakeIfAny();
  strings.TakeAll(order.args);
  strings.TakeAll(order.env);
  strings.TakeAll(order.groups);
  const std::size_t mounts = strings.TakeLength(order.mounts);
  for (std::size_t i = 0; i < mounts; ++i) {
    MountOrder& mount = order.mounts.items[i];
    mount.source = strings.Take();
    mount.sub_path = strings.TakeIfAny();
    mount.target = strings.Take();
    mount.read_only = strings.TakeNumber() != 0;
    mount.kept_by_operator = strings.TakeNumber() != 0;
  }
  return strings.AllTaken() && order.args.count > 0 && order.groups.count > 0;
}

}  // namespace jettison::shim
