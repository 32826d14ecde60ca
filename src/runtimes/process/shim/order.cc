#include "runtimes/process/shim/order.h"

#include <cerrno>
#include <cstring>

namespace jettison::shim {
namespace {

bool ToNumber(const char* text, std::int64_t& number) {
  if (*text == '\0' || *text == ' ') return false;
  char* end = nullptr;
  errno = 0;
  number = std::strtoll(text, &end, 10);
  return errno == 0 && *end == '\0';
}

bool ToMode(const char* text, Mode& mode) {
  mode = Mode::kNone;
  if (std::strcmp(text, "run") == 0) mode = Mode::kRun;
  if (std::strcmp(text, "hook") == 0) mode = Mode::kHook;
  return mode != Mode::kNone;
}

bool AddMount(const char* flags, Order& order) {
  MountOrder mount;
  for (; *flags != '\0'; ++flags) {
    if (*flags == 'r') {
      mount.read_only = true;
    } else if (*flags == 'k') {
      mount.kept_by_operator = true;
    } else {
      return false;
    }
  }
  return order.mounts.Add(mount);
}

bool SetOfLastMount(const char* MountOrder::*field, const char* value, Order& order) {
  if (order.mounts.count == 0) return false;
  order.mounts.items[order.mounts.count - 1].*field = value;
  return true;
}

// A key for one string or one number of the order.
struct TextField {
  const char* key;
  const char* Order::*field;
};
struct NumberField {
  const char* key;
  std::int64_t Order::*field;
};
struct ListField {
  const char* key;
  List<char*> Order::*field;
};
struct MountField {
  const char* key;
  const char* MountOrder::*field;
};
constexpr TextField kTexts[] = {
    {"cwd", &Order::working_dir}, {"scratch", &Order::scratch_dir}, {"run_dir", &Order::run_dir},
    {"log", &Order::log_path},    {"boot", &Order::boot_id},
};
constexpr NumberField kNumbers[] = {
    {"oom_kills", &Order::oom_kills},
    {"oom_score_adj", &Order::oom_score_adj},
};
constexpr ListField kLists[] = {
    {"arg", &Order::args},
    {"env", &Order::env},
    {"group", &Order::groups},
};
constexpr MountField kMountFields[] = {
    {"source", &MountOrder::source},
    {"sub", &MountOrder::sub_path},
    {"target", &MountOrder::target},
};

bool SetField(const char* key, char* value, Order& order) {
  if (std::strcmp(key, "mode") == 0) return ToMode(value, order.mode);
  if (std::strcmp(key, "mount") == 0) return AddMount(value, order);
  for (const auto& list : kLists) {
    if (std::strcmp(key, list.key) == 0) return (order.*list.field).Add(value);
  }
  for (const auto& mount : kMountFields) {
    if (std::strcmp(key, mount.key) == 0) return SetOfLastMount(mount.field, value, order);
  }
  for (const auto& text : kTexts) {
    if (std::strcmp(key, text.key) != 0) continue;
    order.*text.field = value;
    return true;
  }
  for (const auto& number : kNumbers) {
    if (std::strcmp(key, number.key) == 0) return ToNumber(value, order.*number.field);
  }
  return false;
}

bool IsComplete(const Order& order) {
  for (std::size_t i = 0; i < order.mounts.count; ++i) {
    if (order.mounts.items[i].source == nullptr || order.mounts.items[i].target == nullptr) {
      return false;
    }
  }
  switch (order.mode) {
    case Mode::kNone: return false;
    case Mode::kRun:
      return order.args.count > 0 && order.groups.count > 0 && order.run_dir != nullptr &&
             order.scratch_dir != nullptr && order.log_path != nullptr && order.boot_id != nullptr;
    case Mode::kHook:
      return order.args.count > 0 && order.groups.count > 0 && order.scratch_dir != nullptr;
  }
  return false;
}

}  // namespace

template <typename T>
bool List<T>::Add(T item) {
  if (count + 2 > capacity) {
    const std::size_t wanted = capacity == 0 ? 8 : capacity * 2;
    void* grown = std::realloc(static_cast<void*>(items), wanted * sizeof(T));
    if (grown == nullptr) return false;
    items = static_cast<T*>(grown);
    capacity = wanted;
  }
  items[count++] = item;
  items[count] = T{};
  return true;
}

template struct List<char*>;
template struct List<MountOrder>;

bool ParseOrder(char* data, std::size_t size, Order& order) {
  if (size == 0 || data[size - 1] != '\0') return false;
  for (char* line = data; line < data + size;) {
    char* const next = line + std::strlen(line) + 1;
    char* const equals = std::strchr(line, '=');
    if (equals == nullptr) return false;
    *equals = '\0';
    if (!SetField(line, equals + 1, order)) return false;
    line = next;
  }
  return IsComplete(order);
}

}  // namespace jettison::shim
