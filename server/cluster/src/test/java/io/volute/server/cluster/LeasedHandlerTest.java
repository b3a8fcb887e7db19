package io.volute.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.s3.request.HeaderList;
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
    private boolean takesWrites = true;
    private int handled;
    private int looks;
    private final OwnerLease.Counts counts = new OwnerLease.Counts();

    private final LeasedHandler handler =
            new LeasedHandler(
                    (head, body) -> {
                        handled++;
                        isHeld = isHeld && !isLostWhileHandled;
                        return new S3Response(200, List.of(), new Content.None(-1));
                    },
                    new OwnerLease(
                            new OwnerLease.Source() {
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
                            () -> {
                                looks++;
                                return takesWrites;
                            },
                            counts),
                    (head, body) -> new S3Response(299, List.of(), new Content.None(-1)));

    private void isCounted(int waited, int refused) {
        assertThat(counts.waited().sum()).isEqualTo(waited);
        assertThat(counts.refused().sum()).isEqualTo(refused);
    }

    private static void isUnavailable(S3Response response) {
        assertThat(response.status()).isEqualTo(503);
        assertThat(new String(((Content.Bytes) response.content()).bytes(), StandardCharsets.UTF_8))
                .contains("<Code>ServiceUnavailable</Code>");
    }

    @Test
    void anOwnerWithALeaseAnswers() {
        assertThat(handler.handle(HEAD, null).status()).isEqualTo(200);
        isCounted(0, 0);
    }

    @Test
    void eachRequestLooksAtAllCubesOnce() {
        for (int i = 1; i <= 3; i++) {
            assertThat(handler.handle(HEAD, null).status()).isEqualTo(200);
            assertThat(looks).isEqualTo(i);
        }
    }

    /** A request that was handled may have failed. Later ones go to the next owner. */
    @Test
    void aStoreThatBecameReadOnlyGetsNoMoreRequests() {
        takesWrites = false;
        isUnavailable(handler.handle(HEAD, null));
        assertThat(handler.handle(HEAD, null).status()).isEqualTo(299);
        assertThat(handled).isEqualTo(1);
        isCounted(0, 0);
    }

    @Test
    void anOwnerWithoutALeasePassesTheRequestOn() {
        isHeld = false;
        assertThat(handler.handle(HEAD, null).status()).isEqualTo(299);
        assertThat(handled).isZero();
        isCounted(1, 1);
    }

    @Test
    void aReadIsNotAnsweredAfterTheLease() {
        isLostWhileHandled = true;
        isUnavailable(handler.handle(HEAD, null));
        assertThat(handled).isEqualTo(1);
        isCounted(1, 1);
    }

    @Test
    void aRequestWaitsForALeaseThatComesBack() {
        isHeld = false;
        comesBack = true;
        assertThat(handler.handle(HEAD, null).status()).isEqualTo(200);
        isCounted(1, 0);
    }
}
