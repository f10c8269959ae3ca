// What sessions ask for besides commands: the report, and what a name may become. Control thread.

extension CommandController {
  func report(withPaths: Bool) -> ReportPages { reports.report(withPaths: withPaths) }

  func paths(beginning text: String, then: @escaping ([String]) -> Void) {
    let playlists = playlistPaths(text)
    if playlists.isEmpty { media.paths(beginning: text, then: then) } else { then(playlists) }
  }
}
