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

// How a reported state of an object relates to the states that are known.
enum class Verdict : std::uint8_t {
  kAppeared,
  kChanged,
  kGone,
  kKnown,  // told already, or older than what is known
};

// The objects that exist, by what was reported of them. A late message does not restore a UID that
// is gone.
class Roster {
 public:
  // An object as it is now.
  [[nodiscard]] Verdict Tell(const ObjectHead& head);
  // An object that is gone, as it was last.
  [[nodiscard]] Verdict TellGone(const ObjectHead& head);

  // Begins a list, in which each object that exists is reported. `is_truth`: versions that were
  // known before no longer hold (the store was set back).
  void BeginList(bool is_truth);
  // Ends the list. Returns the objects that were known and are not in it; they are gone.
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
