// Requests of sessions other than commands: the report, and completions of media names. Control thread.

extension CommandController {
  func report(withPaths: Bool) -> ReportPages { reports.report(withPaths: withPaths) }

  func paths(beginning text: String, then: @escaping ([String]) -> Void) {
    let playlists = playlistPaths(text)
    if playlists.isEmpty { media.paths(beginning: text, then: then) } else { then(playlists) }
  }
}
