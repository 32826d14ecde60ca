#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace jettison {

// A list that is made anew only where what it is made of may have changed since. It keeps its
// memory. A copy begins without a list.
template <typename T>
class KeptList {
 public:
  KeptList() = default;
  KeptList(const KeptList&) noexcept {}
  KeptList& operator=(const KeptList&) = delete;
  ~KeptList() = default;

  // `version` is that of what the list is made of; absent: it is being changed, so the list is made
  // anew each time. `make` fills an empty list. Valid until the next call.
  template <typename Make>
  const std::vector<T>& Of(std::optional<std::uint64_t> version, const Make& make) {
    if (version && made_of_ == version) return list_;
    list_.clear();
    make(list_);
    made_of_ = version;
    return list_;
  }

 private:
  std::vector<T> list_;
  std::optional<std::uint64_t> made_of_;
};

}  // namespace jettison
