#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "codec/flight/columns/bytes.h"
#include "codec/flight/columns/column.h"
#include "codec/flight/columns/zstd_stream.h"
#include "codec/flight/values/pod_row.h"
#include "core/model/summary.h"
#include "core/pods/pod_facts.h"

namespace jettison {

using Places = std::vector<std::uint32_t>;

// Lists that are named again and again, each held once.
class ListTable {
 public:
  // The place of the list.
  std::uint32_t PlaceOf(const Places& list);
  void Write(ByteWriter& out) const;
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  std::map<Places, std::uint32_t> places_;
  std::vector<const Places*> lists_;  // keys of places_
  std::size_t bytes_ = 0;
};

// The pods of a chunk's passes, each held once; one that is told anew with other facts is another.
class FactsTable {
 public:
  // The place of the list of these pods.
  std::uint32_t PlaceOf(const std::vector<std::shared_ptr<const PodFacts>>& pods);
  // Both answer how many bytes were written.
  std::size_t WriteLists(ZstdWriter& out) const;
  std::size_t WriteEntries(ZstdWriter& out) const;
  // Memory that is held for it alone: pods that are on the node are held by others, too.
  [[nodiscard]] std::size_t bytes() const;
  [[nodiscard]] bool has_storage_limits() const { return has_storage_limits_; }

 private:
  struct Entry {
    std::shared_ptr<const PodFacts> facts;
    std::shared_ptr<const PodFacts> alike;  // seen last, with an equal entry
  };
  std::uint32_t PlaceOf(const std::shared_ptr<const PodFacts>& facts);
  std::uint32_t Take(const std::shared_ptr<const PodFacts>& facts);

  std::vector<Entry> entries_;
  std::unordered_map<const PodFacts*, std::uint32_t> by_address_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
  ListTable lists_;
  Places list_;  // scratch
  bool has_storage_limits_ = false;
};

// The figures of a chunk's pods, a set of columns for each pod.
class FiguresTable {
 public:
  // Takes the figures of one pass; the place of the list of these pods.
  std::uint32_t Put(const std::vector<PodStats>& pods);
  // Bytes that were written.
  std::size_t Write(ZstdWriter& out) const;
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Stream {
    PodShape shape;
    ColumnWriter columns;
    std::uint64_t used = 0;  // in this pass, by its number here
    // Whether these figures may be put there. A pod may be told twice in a pass.
    [[nodiscard]] bool Takes(const PodStats& pod, std::uint64_t pass) const {
      return used != pass && shape.IsOf(pod);
    }
  };
  std::uint32_t PlaceOf(const PodStats& pod, std::size_t index);

  std::vector<Stream> streams_;
  std::unordered_multimap<std::string, std::uint32_t> by_uid_;
  ListTable lists_;
  std::uint64_t passes_ = 0;
  Places list_;                     // of the pass before
  std::vector<std::uint64_t> row_;  // scratch
};

}  // namespace jettison
