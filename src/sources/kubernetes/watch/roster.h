#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sources/kubernetes/objects/object_head.h"

namespace jettison::kube {

// What a state of an object is to who knows the states before.
enum class Verdict : std::uint8_t {
  kAppeared,
  kChanged,
  kGone,
  kKnown,  // told already, or older than what is known
};

// The objects that are there, by what was told of them. A UID that is gone does not come back by an
// old message.
class Roster {
 public:
  // An object as it is now.
  [[nodiscard]] Verdict Tell(const ObjectHead& head);
  // An object that is gone, as it was last.
  [[nodiscard]] Verdict TellGone(const ObjectHead& head);

  // A list begins, in which each object that is there is told. `is_truth`: whatever was known of
  // versions no longer holds (the store was set back).
  void BeginList(bool is_truth);
  // All were told: those that were not are gone.
  [[nodiscard]] std::vector<ObjectHead> EndList();

  [[nodiscard]] const std::map<std::string, ObjectHead, std::less<>>& objects() const {
    return objects_;
  }

 private:
  // As many UIDs as are remembered that are gone, the oldest forgotten first.
  static constexpr std::size_t kMostGone = 1024;

  void Remember(const ObjectHead& gone);

  std::map<std::string, ObjectHead, std::less<>> objects_;  // by UID
  std::map<std::string, std::string, std::less<>> gone_;    // the last version by UID
  std::deque<std::string> gone_order_;
  std::set<std::string, std::less<>> listed_;  // UIDs of the list that has begun
};

}  // namespace jettison::kube
