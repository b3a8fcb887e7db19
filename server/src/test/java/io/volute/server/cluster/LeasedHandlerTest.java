package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HeaderList.Header;
import io.volute.server.s3.request.HttpHead;
import io.volute.server.s3.request.S3Response;
import io.volute.server.s3.request.S3Response.Content;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class LeasedHandlerTest {
    private static final HttpHead HEAD =
            new HttpHead("GET", "/b/k", "", new HeaderList(List.of()), false, "", 0, "ID");

    private boolean isHeld = true;
    private boolean isLostWhileHandled;
    private boolean comesBack;
    private int handled;

    private final LeasedHandler handler =
            new LeasedHandler(
                    (head, body) -> {
                        handled++;
                        isHeld = isHeld && !isLostWhileHandled;
                        return new S3Response(200, List.of(), new Content.None(-1));
                    },
                    new LeasedHandler.Lease() {
                        @Override
                        public boolean isHeld() {
                            return isHeld;
                        }

                        @Override
                        public boolean await() {
                            isHeld = comesBack;
                            return isHeld;
                        }
                    },
                    (head, body) -> new S3Response(299, List.of(), new Content.None(-1)));

    private static void isUnavailable(S3Response response) {
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.headers()).contains(new Header("retry-after", "1"));
        assertThat(new String(((Content.Bytes) response.content()).bytes(), StandardCharsets.UTF_8))
                .contains("<Code>ServiceUnavailable</Code>");
    }

    @Test
    void anOwnerWithALeaseAnswers() {
        assertThat(handler.handle(HEAD, null).status()).isEqualTo(200);
    }

    @Test
    void anOwnerWithoutALeasePassesTheRequestOn() {
        isHeld = false;
        assertThat(handler.handle(HEAD, null).status()).isEqualTo(299);
        assertThat(handled).isZero();
    }

    @Test
    void aReadIsNotAnsweredAfterTheLease() {
        isLostWhileHandled = true;
        isUnavailable(handler.handle(HEAD, null));
        assertThat(handled).isEqualTo(1);
    }

    @Test
    void aRequestWaitsForALeaseThatComesBack() {
        isHeld = false;
        comesBack = true;
        assertThat(handler.handle(HEAD, null).status()).isEqualTo(200);
    }
}
