// Lines with a secret, for each secret setting, spelled correctly and misspelled. Test threads.

import Console

/// Lines that contain the secret `47110815`.
let secretLines: [String] =
  ["pin 47110815", "PIN\t47110815"]
  + Setting.allCases.filter { $0.declaration.isSecret }.flatMap { setting in
    let key = setting.key
    return [
      "set \(key) 47110815", "SET \"\(key)\"  47110815", "unset \(key) 47110815", "sett \(key) 47110815",
      "set \(key.dropLast()) 47110815", "set \(key)x 47110815", "set \(key.uppercased()) 47110815",
    ]
  }
