package io.volute.server.s3;

import io.volute.server.s3.call.Answer;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.xml.XmlWriter;
import java.util.Map;

/** The answer to a request that failed. HEAD and 304 have no body, a browser gets a page. */
public final class ErrorReply {
    private ErrorReply() {}

    /** Returns the response to a request that failed with this error. */
    public static S3Response of(S3Exception error, HttpHead head) {
        int status = error.error().status();
        Answer answer = Answer.of(status);
        for (Map.Entry<String, String> header : error.headers().entrySet()) {
            answer.header(header.getKey(), header.getValue());
        }
        if (head.method().equals("HEAD") || status == 304) {
            return answer.withoutBody(-1);
        }
        if (BrowserPage.isMeant(error.error(), head)) {
            return BrowserPage.of(answer);
        }
        XmlWriter xml = XmlWriter.plainDocument("Error");
        xml.element("Code", error.error().code());
        xml.element("Message", printable(error.getMessage()));
        for (Map.Entry<String, String> detail : error.details().entrySet()) {
            xml.element(detail.getKey(), printable(detail.getValue()));
        }
        xml.element("Resource", head.rawPath());
        xml.element("RequestId", head.requestId());
        xml.element("HostId", head.requestId());
        return answer.xml(xml.finish());
    }

    /**
     * Replaces control characters. Errors echo the client's text, but must stay documents that
     * parsers accept.
     */
    private static String printable(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) < ' ') {
                StringBuilder out = new StringBuilder(text);
                for (int j = i; j < out.length(); j++) {
                    if (out.charAt(j) < ' ') {
                        out.setCharAt(j, '\uFFFD');
                    }
                }
                return out.toString();
            }
        }
        return text;
    }
}
