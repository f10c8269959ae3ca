// Placeholder until the plugin lands.
import CodecPlugin
