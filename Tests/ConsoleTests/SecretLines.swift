// Lines with a secret, for each secret setting, spelled correctly and misspelled, and in unknown places. Test threads.

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
  + [
    "password=47110815", "password: my=47110815", "password 47110815", "PassWord=\"47110815\"",
    "mqtt.password=47110815", "mqtt.password 47110815", "set mqtt.password=47110815",
    "set mqtt.password =47110815", "set password 47110815", "set wifi.password 47110815",
    "set network.password \"47110815\"", "set wifi-password 47110815", "set passphrase 47110815",
    "set wifi.key 47110815", "set wifi.key=47110815", "set snapcast.pin 47110815", "set api_token 47110815",
    "unset wifi.psk 47110815", "wifi password 47110815", "wifi-kennwort 47110815",
  ]

/// Wrong lines with the secret `47110815` behind a setting that has a password beside it.
let linesBesideSecrets = [
  "set mqtt.user box 47110815", "SET \"mqtt.user\" box \"47110815\"", "set mqtt.host broker 47110815",
  "set mpd.guests 47110815", "set mpd.guests read 47110815", "set mpd.listen 47110815@0.0.0.0",
]

/// Wrong lines with the secret `47110815` in an address.
let secretAddressLines = [
  "bind mode short play http://u:47110815@radio.example/x y z",
  "set mqtt.server mqtt://u:47110815@host:x", "source bt http://u:47110815@x /y /z",
  "play http://47110815@radio.example/x y", "play https://u:47/11@08154711:47110815@radio.example y",
  "play https://radio.example/live?token=47110815&x=1 y", "https://u:47110815@radio.example/",
  "bind a short set zzz http://u:47110815@proxy",
]
