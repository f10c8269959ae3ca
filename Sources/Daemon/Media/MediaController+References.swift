// Names that are kept for later: whether there is anything of that name now. Control thread, but for what says that it waits for the
// storage.

import Console
import Decoding
import Media
import PlaybackModel
import Platform

extension MediaController {
  /// Finds the path that a name means which no folder has as it was typed: the only one that differs in the case of letters or the
  /// encoding of accents. Otherwise `then` gets a sentence with the nearest name.
  func findAlike(
    _ name: String, _ media: any MediaLookup, then: @escaping (_ path: String?, _ sentence: String?) -> Void
  ) {
    // Outside of the folders with music there is nothing to be found.
    guard name.utf8.first != 0x2F || configuration.roots.root(of: name) != nil else { return then(nil, nil) }
    let (places, roots) = (configuration.roots, rootsToAsk(name))
    let sticks = configuration.settings.removableFolder
    RootSearch(
      roots, in: readers, scheduler, wantsAll: true,
      { root in ReferenceLookup(name, in: root, within: places, media, mayBeEmpty: root == sticks) }
    ) { (search: RootSearch<ReferenceLookup>) in
      var paths: [String] = []
      for case .alike(let path) in search.found { paths.append(path) }
      then(paths.count == 1 ? paths[0] : nil, ReferenceLookup.suggestion(name, search.found))
    }
  }

  /// Looks whether there is something of each name.
  ///
  /// - Parameters:
  ///   - isExact: Whether the names are opened as they are: one that differs in the case of letters does not do.
  ///   - then: Gets a sentence for each that is not found, or whose storage is away, without a full stop.
  func check(_ names: [String], isExact: Bool, then: @escaping (_ warnings: [String]) -> Void) {
    check(names[...], isExact, [], then: then)
  }

  private func check(
    _ names: ArraySlice<String>, _ isExact: Bool, _ warnings: [String], then: @escaping ([String]) -> Void
  ) {
    guard let name = names.first else { return then(warnings) }
    check(name, isExact) { [unowned(unsafe) self] warning in
      check(names.dropFirst(), isExact, warnings + (warning.map { [$0] } ?? []), then: then)
    }
  }

  private func check(_ name: String, _ isExact: Bool, then: @escaping (String?) -> Void) {
    if MediaList.isStream(name) || name == "." { return then(nil) }
    if let saved = PlaylistName(path: name) {
      return playlist(saved) { lookup in
        if case .refused(let error) = lookup { then(error.sentence) } else { then(nil) }
      }
    }
    let (media, places, roots) = (media, rootsForReference(name), rootsToAsk(name))
    let sticks = configuration.settings.removableFolder
    RootSearch(
      roots, in: readers, scheduler, wantsAll: true,
      { root in ReferenceLookup(name, in: root, within: places, media, mayBeEmpty: root == sticks) }
    ) { (search: RootSearch<ReferenceLookup>) in
      then(ReferenceLookup.sentence(name, search.found, isExact: isExact, silent: search.silentRoots.first))
    }
  }

  /// A cue may lie outside the folders with music.
  private func rootsForReference(_ name: String) -> MediaRoots {
    let roots = configuration.roots
    guard name.utf8.first == 0x2F, roots.root(of: name) == nil else { return roots }
    return MediaRoots([AtomicFile.folder(of: name)])
  }

  private func rootsToAsk(_ name: String) -> [String] {
    let roots = rootsForReference(name)
    return name.utf8.first == 0x2F ? roots.root(of: name).map { [$0] } ?? [] : roots.folders
  }
}

/// What one folder with music has of a name. Made by a thread that waits for the storage.
package enum ReferenceLookup: Hashable, Sendable {
  case there
  /// The path of the one file or folder whose name differs in the case of letters or the encoding of accents only.
  case alike(String)
  /// The folder holds nothing: its storage is away, or it is empty.
  case away(String)
  /// It has nothing of the name; and the path that is nearest.
  case missing(suggestion: String?)

  /// Components of a name that are followed.
  private static let maxDepth = 16

  /// Looks for a name in one of the roots.
  ///
  /// - Parameter mayBeEmpty: Whether it is the folder of sticks, which says nothing while it holds none.
  package init(
    _ name: String, in root: String, within roots: MediaRoots, _ media: any MediaLookup, mayBeEmpty: Bool
  ) {
    let isAbsolute = name.utf8.first == 0x2F
    guard media.locate(name, within: isAbsolute ? roots : MediaRoots([root])) == nil else {
      self = .there
      return
    }
    let top = (try? media.entries(of: root, within: roots)) ?? []
    guard !top.isEmpty else {
      self = mayBeEmpty ? .missing(suggestion: nil) : .away(root)
      return
    }
    var rest = Array(name.utf8.split(separator: 0x2F).map { String(decoding: Array($0), as: UTF8.self) })
    if isAbsolute { rest.removeFirst(min(rest.count, root.utf8.split(separator: 0x2F).count)) }
    if let path = Self.alike(rest, root, top, roots, media) {
      self = .alike(path)
      return
    }
    self = .missing(suggestion: Self.suggestion(rest, root, isAbsolute: isAbsolute, top, roots, media))
  }

  /// The path of the only candidate for each component. Nil where a component has none, or several.
  private static func alike(
    _ components: [String], _ root: String, _ top: [DirectoryEntry], _ roots: MediaRoots,
    _ media: any MediaLookup
  ) -> String? {
    guard !components.isEmpty, components.count <= maxDepth else { return nil }
    var (path, entries) = (root, top)
    for (index, component) in components.enumerated() {
      var found = entries.filter { $0.name.utf8.elementsEqual(component.utf8) }
      if found.isEmpty { found = entries.filter { TextFolding.areAlike($0.name, component) } }
      guard found.count == 1 else { return nil }
      path = Directory.path(of: found[0].name, in: path)
      if index == components.count - 1 { break }
      if found[0].isDirectory {
        guard let inner = try? media.entries(of: path, within: roots) else { return nil }
        entries = inner
      } else if index == components.count - 2, let track = SheetTrack(path + "/" + components[index + 1]) {
        path = track.path
        break
      } else {
        return nil
      }
    }
    // A link may lead out of the folders.
    return media.locate(path, within: roots)
  }

  /// The nearest name where the path ceases to lead on.
  private static func suggestion(
    _ components: [String], _ root: String, isAbsolute: Bool, _ top: [DirectoryEntry], _ roots: MediaRoots,
    _ media: any MediaLookup
  ) -> String? {
    var (path, shown, entries) = (root, isAbsolute ? root : "", top)
    var hasChanged = false
    for (index, component) in components.prefix(maxDepth).enumerated() {
      var name = component
      if !entries.contains(where: { $0.name == component }) {
        guard !hasChanged, let near = Spelling.nearestName(to: component, among: entries.map { $0.name })
        else {
          return hasChanged ? shown : nil
        }
        name = near
        hasChanged = true
      }
      path = Directory.path(of: name, in: path)
      shown = shown.utf8.isEmpty ? name : Directory.path(of: name, in: shown)
      if index == components.count - 1 { return shown }
      guard let next = try? media.entries(of: path, within: roots) else { return hasChanged ? shown : nil }
      entries = next
    }
    return nil
  }

  /// A sentence with the nearest name, without a full stop; nil where none is near.
  static func suggestion(_ name: String, _ found: [ReferenceLookup]) -> String? {
    for lookup in found {
      switch lookup {
      case .alike(let near), .missing(let near?):
        return "there is no '" + name + "'; did you mean '" + near + "'?"
      case .there, .away, .missing(nil): break
      }
    }
    return nil
  }

  /// A warning about a name, without a full stop; nil where one of the folders has it.
  /// - Parameter isExact: Whether a name that differs in the case of letters does not do.
  package static func sentence(
    _ name: String, _ found: [ReferenceLookup], isExact: Bool = false, silent: String?
  )
    -> String?
  {
    var away: String?
    var suggestion: String?
    for lookup in found {
      switch lookup {
      case .there: return nil
      case .alike(let path):
        guard isExact else { return nil }
        suggestion = suggestion ?? path
      case .away(let root): away = away ?? root
      case .missing(let near): suggestion = suggestion ?? near
      }
    }
    if let suggestion { return "there is no '" + name + "' now; did you mean '" + suggestion + "'?" }
    if let silent {
      return "it is not known whether there is a '" + name + "': the storage " + silent + " does not answer"
    }
    if let away {
      return "it is not known whether there is a '" + name + "': the storage " + away + " is away, or empty"
    }
    return "there is no '" + name + "' now; 'media' lists what there is"
  }
}
