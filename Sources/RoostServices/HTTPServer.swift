import Hummingbird

/// Placeholder.
public func application() -> some ApplicationProtocol {
    let router = Router()
    router.get("v1/health") { _, _ in "ok\n" }
    return Application(router: router)
}
