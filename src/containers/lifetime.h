#pragma once

#include <memory>
#include <utility>

namespace jettison {

// Lets an answer outlive whoever asked for it: one that comes after the end of this member's owner
// is dropped. Not for other threads.
class Lifetime {
 public:
  Lifetime() = default;
  Lifetime(const Lifetime&) = delete;
  Lifetime& operator=(const Lifetime&) = delete;
  ~Lifetime() = default;

  template <typename Callback>
  [[nodiscard]] auto Guard(Callback callback) const {
    return [alive = std::weak_ptr<const bool>(token_),
            callback = std::move(callback)](auto&&... arguments) {
      if (!alive.expired()) callback(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<const bool> token_ = std::make_shared<const bool>(true);
};

}  // namespace jettison
