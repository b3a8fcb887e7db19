package io.volute.server.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.server.auth.sigv4.AuthSettings;
import io.volute.server.auth.sigv4.FailedSignatures;
import io.volute.server.auth.sigv4.SignatureV2Use;
import io.volute.server.s3.S3Protocol;
import io.volute.server.s3.S3Settings;
import io.volute.server.s3.S3TestBed;
import io.volute.server.s3.S3TestCase;
import io.volute.server.s3.TestSigner;
import io.volute.server.s3.acl.ObjectOwnership;
import io.volute.server.s3.encryption.Encryption;
import io.volute.server.s3.notification.EventSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Guessing secrets is slow, and does not lock out the holder of the right one. */
final class GuessedSecretsTest extends S3TestCase {
    private final AtomicReference<Instant> now = new AtomicReference<>(S3TestBed.NOW);
    private final S3Protocol protocol =
            S3TestBed.protocolOver(
                    bed.store(),
                    new S3Settings(
                            S3TestBed.REGION,
                            List.of(),
                            now::get,
                            true,
                            AuthSettings.UNTIMED,
                            new FailedSignatures(20_261_121),
                            SignatureV2Use.PRESIGNED,
                            Encryption.NONE,
                            ObjectOwnership.BUCKET_OWNER_ENFORCED,
                            true,
                            10,
                            EventSettings.none(),
                            new AtomicLong()));

    private String ask(TestSigner who, String address) {
        return bed.request("GET", "/").over(protocol).from(address).sendAs(who).code();
    }

    private static TestSigner guess(String accessKey) {
        return new TestSigner(accessKey, "guessed", S3TestBed.DATE, S3TestBed.REGION);
    }

    private int guesses(String accessKey, String address, int tries) {
        int looked = 0;
        for (int i = 0; i < tries; i++) {
            looked += ask(guess(accessKey), address).equals("SlowDown") ? 0 : 1;
        }
        return looked;
    }

    @Test
    void guessesAreSlow() {
        assertThat(guesses("ALICE", "192.0.2.1", 2000)).isEqualTo(20);
        assertThat(ask(bed.alice(), "192.0.2.1")).as("not looked at").isEqualTo("SlowDown");
        now.set(S3TestBed.NOW.plusSeconds(50));
        assertThat(guesses("ALICE", "192.0.2.1", 2000)).isEqualTo(10);
        assertThat(guesses("NOBODY", "192.0.2.9", 2000)).isEqualTo(20);
    }

    @Test
    void oneAddressCannotTryManyKeys() {
        int looked = 0;
        for (int i = 0; i < 100; i++) {
            looked += guesses("KEY" + i, "2001:db8:0:1:0:0:0:" + i, 10);
        }
        assertThat(looked).isEqualTo(100);
        assertThat(ask(bed.alice(), "2001:db8:0:2:0:0:0:1")).isEqualTo("200");
    }

    @Test
    void whoIsKnownIsNotKeptOut() {
        assertThat(ask(bed.alice(), "192.0.2.1")).isEqualTo("200");
        guesses("ALICE", "192.0.2.1", 2000);
        guesses("BOB", "192.0.2.1", 2000);
        assertThat(ask(bed.alice(), "192.0.2.1")).isEqualTo("200");
        now.set(S3TestBed.NOW.plus(Duration.ofMinutes(10)));
        assertThat(ask(bed.bob(), "192.0.2.1")).isEqualTo("200");
    }

    @Test
    void manyAddressesDoNotKeepTheOwnerOfAKeyOut() {
        int looked = 0;
        for (int i = 0; i < 250; i++) {
            looked += guesses("ALICE", "192.0.2." + i, 10);
        }
        assertThat(looked).isBetween(250, 400);
        assertThat(ask(bed.alice(), "198.51.100.1")).isEqualTo("200");
    }
}
