#include "codec/flight/chunk_pods.h"

#include <algorithm>
#include <utility>

#include "codec/flight/values/pod_entry.h"

namespace jettison {
namespace {

// More than any node has in as many passes as a chunk holds.
constexpr std::size_t kMostLists = std::size_t{1} << 16;
constexpr std::size_t kMostPods = std::size_t{1} << 16;
constexpr std::size_t kMostRowWidth = 10'000;

tl::unexpected<Error> SenselessPods() {
  return Fail(ErrorCode::kInvalidArgument, "what it holds of pods makes no sense");
}

std::size_t CountUpTo(std::size_t most, ByteReader& in) {
  const std::size_t count = in.Count();
  if (count <= most) return count;
  in.SetFailed();
  return 0;
}

// Lists of places, each below `end`, which is known only later.
std::vector<Places> ReadLists(ByteReader& in) {
  std::vector<Places> lists(CountUpTo(kMostLists, in));
  for (Places& list : lists) {
    std::int64_t last = -1;
    list.resize(CountUpTo(kMostPods, in));
    for (std::uint32_t& place : list) {
      last += 1 + in.Signed();
      place = static_cast<std::uint32_t>(last);
      if (std::int64_t{place} != last) in.SetFailed();
    }
    if (in.failed()) break;
  }
  return lists;
}

bool AllBelow(const std::vector<Places>& lists, std::size_t end) {
  return std::ranges::all_of(lists, [end](const Places& list) {
    return std::ranges::all_of(list, [end](std::uint32_t place) { return place < end; });
  });
}

Result<PodFactsList> ReadFacts(const std::string& text, Profile profile, PodDictionary& known) {
  ByteReader in(text);
  PodFactsList facts(CountUpTo(kMostPods, in));
  for (auto& pod : facts) {
    const std::size_t before = in.left();
    (void)ReadEntry(in);
    if (in.failed()) return SenselessPods();
    const std::string_view entry =
        std::string_view(text).substr(text.size() - before, before - in.left());
    auto read = known.PodOf(entry, profile);
    if (!read) return Fail(read.error());
    pod = *std::move(read);
  }
  if (in.failed() || !in.AtEnd()) return SenselessPods();
  known.ForgetOthers();
  return facts;
}

}  // namespace

Result<std::shared_ptr<const PodFacts>> PodDictionary::PodOf(std::string_view entry,
                                                             Profile profile) {
  if (std::exchange(profile_, profile) != profile) pods_.clear();
  const auto known = pods_.find(entry);
  if (known != pods_.end()) {
    known->second.asked = true;
    return known->second.facts;
  }
  ByteReader in(entry);
  auto facts = FactsOf(ReadEntry(in), profile);
  if (facts) pods_.emplace(entry, Known{*facts});
  return facts;
}

void PodDictionary::ForgetOthers() {
  for (auto at = pods_.begin(); at != pods_.end();) {
    at = std::exchange(at->second.asked, false) ? std::next(at) : pods_.erase(at);
  }
}

Result<ChunkPods> ChunkPods::Read(std::string pods, const std::string& facts, Profile profile,
                                  PodDictionary& known) {
  ChunkPods read;
  auto list = ReadFacts(facts, profile, known);
  if (!list) return Fail(list.error());
  read.facts_ = *std::move(list);
  read.bytes_ = std::make_shared<const std::string>(std::move(pods));
  ByteReader in(*read.bytes_);
  read.active_ = ReadLists(in);
  read.figures_ = ReadLists(in);
  if (auto streams = read.ReadStreams(in); !streams) return Fail(streams.error());
  if (!AllBelow(read.active_, read.facts_.size()) ||
      !AllBelow(read.figures_, read.streams_.size())) {
    return SenselessPods();
  }
  read.passed_.resize(read.figures_.size());
  return read;
}

Result<void> ChunkPods::ReadStreams(ByteReader& in) {
  streams_.resize(CountUpTo(kMostPods, in));
  for (Stream& stream : streams_) {
    stream.shape = ReadShape(in);
    if (in.failed() || stream.shape.Width() > kMostRowWidth) return SenselessPods();
  }
  for (Stream& stream : streams_) {
    stream.columns.reserve(stream.shape.Width());
    for (std::size_t i = 0; i < stream.shape.Width(); ++i) stream.columns.emplace_back(in.Text());
  }
  if (in.failed() || !in.AtEnd()) return SenselessPods();
  return {};
}

void ChunkPods::PassOver(std::uint64_t list) {
  if (list < passed_.size()) ++passed_[list];
}

Result<std::vector<PodStats>> ChunkPods::Figures(std::uint64_t list) {
  if (list >= figures_.size() || passed_[list] == 0) return SenselessPods();
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    const std::uint64_t times = std::exchange(passed_[i], 0);
    if (times == 0) continue;
    for (const std::uint32_t place : figures_[i]) streams_[place].behind += times;
  }
  std::vector<PodStats> pods;
  pods.reserve(figures_[list].size());
  std::vector<std::uint64_t> row;
  for (const std::uint32_t place : figures_[list]) {
    Stream& stream = streams_[place];
    if (stream.behind == 0) return SenselessPods();  // a pod twice in a list
    row.resize(stream.columns.size());
    for (std::size_t slot = 0; slot < row.size(); ++slot) {
      ColumnReader& column = stream.columns[slot];
      column.Skip(stream.behind - 1);
      row[slot] = column.Next();
      if (column.failed()) return SenselessPods();
    }
    stream.behind = 0;
    pods.push_back(TakePod(stream.shape, row));
  }
  return pods;
}

Result<PodFactsList> ChunkPods::Active(std::uint64_t list) const {
  if (list >= active_.size()) return SenselessPods();
  PodFactsList pods;
  pods.reserve(active_[list].size());
  for (const std::uint32_t place : active_[list]) pods.push_back(facts_[place]);
  return pods;
}

}  // namespace jettison
