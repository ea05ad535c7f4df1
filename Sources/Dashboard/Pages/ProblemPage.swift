import EntitlementAPI
import Hummingbird

/// The page that says why there is no other one. It keeps the frame.
enum ProblemPage {
    /// The page in the language of the browser.
    static func response(to problem: Problem, _ call: OpenCall) -> Response {
        let language = Language(preferredBy: call.request.headers[.acceptLanguage])
        return response(to: problem, in: Shell.Frame(words: Words(language, in: .utc, now: call.now)))
    }

    /// The page for whoever is signed in.
    static func response(to problem: Problem, in frame: Shell.Frame) -> Response {
        let (title, text) = phrases(problem.code)
        let words = frame.words
        let page = Shell.document(words.text(title), frame) {
            Tag.h1 { words.text(title) }
            Tag.p(.class("lead")) { words.text(text) }
            Tag.p { Tag.a(.href(Link())) { words.text(.toStart) } }
        }
        var response = Response.page(page, status: problem.status)
        for field in problem.fields where field.name == .retryAfter { response.headers[.retryAfter] = field.value }
        return response
    }

    private static func phrases(_ code: ProblemCode) -> (Phrase, Phrase) {
        switch code {
        case .notFound: (.problemNotFound, .problemNotFoundText)
        case .forbidden: (.problemForbidden, .problemForbiddenText)
        case .rateLimited: (.problemTooMany, .problemTooManyText)
        case .idempotencyInProgress: (.problemUnderWay, .problemUnderWayText)
        case .unavailable: (.problemUnavailable, .problemUnavailableText)
        case .unsupportedMediaType, .invalidRequest, .bodyIncomplete, .payloadTooLarge:
            (.problemRequest, .problemRequestText)
        default: (.problemOther, .problemOtherText)
        }
    }
}

extension Shell {
    /// A page in its frame, with its content built here.
    static func document(_ title: String, _ frame: Frame, @MarkupBuilder content: () -> Markup) -> Markup {
        document(title, frame, content: content())
    }
}
