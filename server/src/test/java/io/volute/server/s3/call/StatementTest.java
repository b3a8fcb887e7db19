package io.volute.server.s3.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.format.Bytes;
import io.volute.provenance.record.Attestation;
import io.volute.provenance.record.SignatureAlgorithm;
import io.volute.server.s3.error.S3Exception;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementTest {
    private static final String KEY = "0123456789abcdef".repeat(4);
    private static final String NONCE = "00112233445566778899aabbccddeeff";
    private static final String SIGNATURE = Base64.getEncoder().encodeToString(new byte[64]);

    private static String header(String algorithm, String time, String signature) {
        return "algorithm=%s,key=%s,time=%s,nonce=%s,signature=%s"
                .formatted(algorithm, KEY, time, NONCE, signature);
    }

    @Test
    void isReadAsDocumented() {
        Attestation statement = Statement.parse(header("ed25519", "1772366400000", SIGNATURE));
        assertThat(statement.by()).isEqualTo(Attestation.By.CLIENT);
        assertThat(statement.signer().algorithm()).isEqualTo(SignatureAlgorithm.ED25519);
        assertThat(statement.signer().keyId().hex()).isEqualTo(KEY);
        assertThat(statement.timeMillis()).isEqualTo(1772366400000L);
        assertThat(statement.nonce()).isEqualTo(Bytes.ofHex(NONCE));
        assertThat(statement.signature().length()).isEqualTo(64);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "algorithm=ed25519",
                "algorithm=rsa,key=K,time=1,nonce=N,signature=S",
                "algorithm=ed25519,key=K,time=-1,nonce=N,signature=S",
                "algorithm=ed25519,key=K,time=1,nonce=N,signature=AAAA",
                "algorithm=ml-dsa-65,key=K,time=1,nonce=N,signature=S",
                "algorithm=ed25519, key=K,time=1,nonce=N,signature=S",
                "algorithm=ed25519,key=K,time=1,nonce=N,signature=S,more=1",
            })
    void whatHasAnotherFormIsRefused(String form) {
        String header =
                form.replace("=K", "=" + KEY)
                        .replace("=N", "=" + NONCE)
                        .replace("=S", "=" + SIGNATURE);
        assertThatThrownBy(() -> Statement.parse(header)).isInstanceOf(S3Exception.class);
    }
}
