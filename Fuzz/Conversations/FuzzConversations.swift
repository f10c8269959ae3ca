// A conversation with a worker that is not to be trusted, with the real player behind it.

import Conversations
import Fuzzing
import Glibc

@main struct FuzzConversations {
  static func main() {
    exit(
      runFuzzer { data, size in
        if let finding = ConversationTrial.finding(in: input(data, size), isAlone: true) {
          preconditionFailure(finding)
        }
        return 0
      })
  }
}
