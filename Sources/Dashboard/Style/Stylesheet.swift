import Crypto
import EntitlementAPI
import HTTPTypes
import Hummingbird
import NIOCore

/// The one stylesheet. Its name is made of its content, so browsers keep it for ever.
enum Stylesheet {
    static let name: String = {
        let digest = SHA256.hash(data: Array(text.utf8))
        return Base64URL.encode(digest.prefix(12)) + ".css"
    }()

    static let link = Link("style", name)

    static let text = [tokens, base, parts, lane, account, acts, narrow, lists, special].joined(separator: "\n")

    private static let light = """
        --bg:#FAFAF8;--surface:#FFF;--side:#F2F3F0;--sunken:#F2F3F0;--past:#F7F8F6;--line:#E2E5E0;
        --line-strong:#848C87;--ink:#14201B;--ink-2:#44504A;--ink-3:#626D67;--accent:#0E5A4A;--accent-ink:#FFF;
        --accent-hover:#0A463A;--accent-soft:#E4F2ED;--t1:#8ACDBA;--t1-line:#24806C;--t1-ink:#0B2E26;--t1-soft:#F4FBF8;
        --t2:#0E5A4A;--t2-line:#0E5A4A;--t2-ink:#FFF;--t2-soft:#EFF7F4;--t3:#062A23;--t3-line:#062A23;--t3-ink:#FFF;
        --t3-soft:#EFF7F4;--warn:#8A5200;--warn-line:#B97410;--warn-soft:#FDF3E1;--bad:#AE2E19;--bad-line:#C8452E;
        --bad-soft:#FCEEEA;--sand:#6238B0;--sand-soft:#F3EEFC;--focus:#1B5FD1;color-scheme:light
        """

    private static let dark = """
        --bg:#0E1211;--surface:#151A18;--side:#0A0E0D;--sunken:#1C2320;--past:#101413;--line:#2A322E;
        --line-strong:#75817B;--ink:#EAF0ED;--ink-2:#B9C4BE;--ink-3:#94A09A;--accent:#74D6BD;--accent-ink:#06251D;
        --accent-hover:#9AE5D1;--accent-soft:#17302A;--t1:#256E5E;--t1-line:#46A38E;--t1-ink:#EDFBF6;--t1-soft:#14231F;
        --t2:#63CDB2;--t2-line:#63CDB2;--t2-ink:#06251D;--t2-soft:#17302A;--t3:#C9F6E9;--t3-line:#C9F6E9;
        --t3-ink:#06251D;--t3-soft:#17302A;--warn:#F2BC66;--warn-line:#D99A35;--warn-soft:#2B2213;--bad:#FF9880;
        --bad-line:#EC7258;--bad-soft:#301B16;--sand:#C3A8FA;--sand-soft:#251D3A;--focus:#86B6FF;color-scheme:dark
        """

    private static let tokens = """
        :root{\(light)}
        @media(prefers-color-scheme:dark){:root:not([data-theme=light]){\(dark)}}
        :root[data-theme=dark]{\(dark)}
        """

    private static let special = """
        @media(forced-colors:active){
        .solid:is(.t1,.t2,.t3){fill:Highlight;stroke:CanvasText}
        .outline:is(.t1,.t2,.t3),.cut-off,.retried,.ring,.cross,.gap,.hatch-ground{fill:Canvas}
        :is(.outline,.dots,.dashes,.ring):is(.t1,.t2,.t3,.none),.cut-off,.retried,.cross,.hatched,.freed,.today,
        .month{stroke:CanvasText}
        .hatch-line,.tick,.tick.strong,.label.on-soft{fill:CanvasText}
        .label.on-solid:is(.t1,.t2,.t3){fill:HighlightText}
        .flag{fill:CanvasText}
        .flag-text{fill:Canvas}
        }
        @media print{
        :root,:root[data-theme=dark],:root:not([data-theme=light]){\(light)}
        .side,.search,.skip,.as-of,.older{display:none}
        .frame{display:block}
        .column{padding:0}
        .panel,tr,.row{break-inside:avoid}
        .w605,.w820{display:none}
        }
        """
}

/// `GET /dashboard/style/{name}`: the stylesheet under the name of its content.
enum StylesheetPage {
    /// - Throws: `not_found` for any other name.
    static func respond(to visit: Visit) async throws(Problem) -> Response {
        guard visit.call.named("name") == Stylesheet.name else { throw Problem(.notFound, "") }
        let tag = "\"\(Stylesheet.name)\""
        var headers: HTTPFields = [.cacheControl: "public, max-age=31536000, immutable", .eTag: tag]
        if visit.call.request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: headers) }
        headers[.contentType] = "text/css; charset=utf-8"
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: Stylesheet.text)))
    }
}
