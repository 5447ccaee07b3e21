#include "tests/tidy/seam_rules.h"

#include <algorithm>
#include <set>

#include "tests/tidy/code_words.h"

namespace dl::tidy {
namespace {

enum class When {
  kNamed,   // wherever the word occurs
  kStd,     // as std::word
  kCalled,  // as a free function: no member, no other namespace, no declaration
};

struct Ban {
  std::set<std::string> words;
  When when = When::kNamed;
  std::vector<std::string> allowed;  // paths; their unit tests are not exempt
  std::vector<std::string> only_in;  // empty: everywhere
  std::string instead;
};

const std::vector<Ban>& Bans() {
  static const std::vector<Ban> kBans = {
      {{"mutex", "timed_mutex", "recursive_mutex", "shared_mutex", "condition_variable",
        "condition_variable_any", "lock_guard", "unique_lock", "scoped_lock", "shared_lock"},
       When::kStd,
       {"base/mutex.h"},
       {},
       "use Mutex, MutexLock and CondVar of base/mutex.h"},
      {{"thread", "jthread", "async"},
       When::kStd,
       {"base/thread.", "tests/"},
       {},
       "use Thread of base/thread.h: it copes with a system that has no thread to give"},
      {{"pthread_create"}, When::kNamed, {}, {}, "use Thread of base/thread.h"},
      {{"pthread_mutex_lock", "pthread_mutex_t", "pthread_cond_t"},
       When::kNamed,
       {},
       {},
       "use base/mutex.h"},
      {{"steady_clock", "system_clock", "high_resolution_clock", "clock_gettime", "gettimeofday",
        "utc_clock"},
       When::kNamed,
       {"base/clock.cc", "base/process_time.cc", "bench/"},
       {},
       "take a Clock of base/clock.h"},
      {{"time", "clock"}, When::kCalled, {}, {}, "take a Clock of base/clock.h"},
      {{"rand", "srand", "rand_r", "random", "drand48", "getrandom", "getentropy"},
       When::kCalled,
       {"base/"},
       {},
       "use RandomStream of base/philox.h"},
      {{"mt19937", "mt19937_64", "minstd_rand", "random_device", "default_random_engine", "shuffle",
        "uniform_int_distribution", "uniform_real_distribution", "normal_distribution"},
       When::kStd,
       {},
       {},
       "use RandomStream of base/philox.h: the library's differ between machines"},
      {{"sleep_for", "sleep_until", "usleep", "nanosleep", "clock_nanosleep"},
       When::kNamed,
       {},
       {},
       "wait for what you wait for (CondVar::WaitFor, BoundedQueue::Pop, ChildProcess::Wait)"},
      {{"sleep"}, When::kCalled, {}, {}, "wait for what you wait for"},
      {{"socket", "accept4", "getaddrinfo", "setsockopt", "getsockname", "socketpair"},
       When::kCalled,
       {"rpc/", "tests/unit/rpc/", "tests/support/raw_http_client.cc", "tests/network/",
        "bench/openssl_pipe.cc",
        // Datagrams within this machine, as in sd_notify(3).
        "launch/daemons/service_notices.cc", "tests/integration/daemons_test.cc"},
       {},
       "connections belong to rpc/"},
      {{"fork", "vfork", "posix_spawn", "posix_spawnp", "popen", "system", "execve", "execvp",
        "execvpe", "waitpid"},
       When::kCalled,
       {"base/process.cc", "base/process_exec.cc",
        // Forks several processes that continue from one prepared state.
        "tests/golden/kernel_bits.cc"},
       {},
       "use Spawner of base/process.h"},
      {{"execv"},
       When::kCalled,
       {"launch/"},
       {},
       "use Spawner of base/process.h; only launch/ re-executes itself"},
      {{"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "sin", "cos", "tan", "tanh",
        "cbrt", "erf"},
       When::kStd,
       {},
       {"averaging/", "master/core/", "master/merge/", "job/", "nn/conf/", "dataset/"},
       "libm differs between machines and this enters results: use base/portable_math.h"},
      {{"Json", "JsonText", "ParseJson", "JsonObjectReader"},
       When::kNamed,
       {"master/core/records/"},
       {"master/core/"},
       "the core answers with views and events; only records are JSON (master/core/records)"},
  };
  return kBans;
}

bool StartsWithAny(const std::string& path, const std::vector<std::string>& prefixes) {
  return std::ranges::any_of(prefixes,
                             [&](const std::string& prefix) { return path.starts_with(prefix); });
}

bool Matches(const Word& word, const Ban& ban) {
  if (!ban.words.contains(word.text)) return false;
  switch (ban.when) {
    case When::kNamed:
      return true;
    case When::kStd:
      return word.qualifier == "std" || word.qualifier == "ranges";
    case When::kCalled:
      return word.is_called && !word.is_member && !word.follows_word &&
             (word.qualifier.empty() || word.qualifier == "std");
  }
  return false;
}

// The master states remedies as data (rpc/remedy.h), and clients put them into words.
void CheckCommandNames(const SourceFile& file, Violations& found) {
  constexpr std::string_view kProgram = "dl-submit";
  if (!file.path.starts_with("master/")) return;
  int line = 1;
  for (size_t i = 0; i < file.text.size(); ++i) {
    if (file.text[i] == '\n') ++line;
    if (file.text.compare(i, kProgram.size(), kProgram) == 0)
      found.push_back({file.path, line, "dl-submit: state the remedy as data (rpc/remedy.h)"});
  }
}

}  // namespace

Violations CheckSeams(const SourceFile& file) {
  Violations found;
  if (!IsCode(file)) return found;
  CheckCommandNames(file, found);
  const std::vector<Word> words = WordsOf(BlankCommentsAndStrings(file.text));
  for (const Ban& ban : Bans()) {
    if (StartsWithAny(file.path, ban.allowed)) continue;
    if (!ban.only_in.empty() && !StartsWithAny(file.path, ban.only_in)) continue;
    for (const Word& word : words) {
      if (Matches(word, ban))
        found.push_back({file.path, word.line, word.text + ": " + ban.instead});
    }
  }
  return found;
}

}  // namespace dl::tidy
