#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "codec/flight/columns/bytes.h"
#include "codec/flight/columns/column.h"
#include "codec/flight/pod_tables.h"
#include "codec/flight/values/pod_row.h"
#include "core/model/profile.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"
#include "core/units/result.h"

namespace jettison {

using PodFactsList = std::vector<std::shared_ptr<const PodFacts>>;

// Caches pods by their encoded entries, because a chunk mostly has the pods of the chunk before.
class PodDictionary {
 public:
  // The pod of an entry (values/pod_entry.h).
  [[nodiscard]] Result<std::shared_ptr<const PodFacts>> PodOf(std::string_view entry,
                                                              Profile profile);
  // Drops the pods that were not requested since the last call.
  void ForgetOthers();

 private:
  struct Known {
    std::shared_ptr<const PodFacts> facts;
    bool asked = true;
  };
  std::map<std::string, Known, std::less<>> pods_;
  Profile profile_ = Profile::kKubelet;
};

// The pods of one chunk, which are decoded when they are requested.
class ChunkPods {
 public:
  // Takes what the sections kPods and kFacts hold. kInvalidArgument: it makes no sense.
  [[nodiscard]] static Result<ChunkPods> Read(std::string pods, const std::string& facts,
                                              Profile profile, PodDictionary& known);

  // A pass had this list of figures; passes come in order.
  void PassOver(std::uint64_t list);
  // Its figures, after passing over it.
  [[nodiscard]] Result<std::vector<PodStats>> Figures(std::uint64_t list);
  [[nodiscard]] Result<PodFactsList> Active(std::uint64_t list) const;

 private:
  struct Stream {
    PodShape shape;
    std::vector<ColumnReader> columns;
    std::uint64_t behind = 0;  // rows that were passed over and not read
  };
  Result<void> ReadStreams(ByteReader& in);

  std::shared_ptr<const std::string> bytes_;  // that the columns are in
  std::vector<Places> active_;
  std::vector<Places> figures_;
  PodFactsList facts_;
  std::vector<Stream> streams_;
  std::vector<std::uint64_t> passed_;  // times that a list was passed over, not yet in `behind`
};

}  // namespace jettison
