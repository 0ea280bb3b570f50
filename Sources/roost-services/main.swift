import Hummingbird
import RoostServices

try await application().runService()
