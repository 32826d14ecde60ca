#pragma once

#include <memory>
#include <utility>

namespace jettison {

// Guards callbacks of an object: an answer that arrives after the object was destroyed is dropped.
// For one thread only.
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
