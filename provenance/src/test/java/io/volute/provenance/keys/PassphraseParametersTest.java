package io.volute.provenance.keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.provenance.Samples;
import io.volute.provenance.format.Bytes;
import io.volute.provenance.format.RefusedException;
import io.volute.provenance.record.SignatureAlgorithm;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PassphraseParametersTest {
    private static final String SALT = "101112131415161718191a1b1c1d1e1f";
    private static final String ENCODED = "01" + "01" + "00002000" + "02" + SALT;
    private static final PassphraseParameters SMALL =
            new PassphraseParameters(8 << 10, 2, Bytes.ofHex(SALT));

    /** Computed with another implementation of Argon2id. */
    @ParameterizedTest
    @CsvSource({
        "correct horse battery staple,"
                + "32856e8acf99023dcbfa4fc88ca2046279a20a3643c35027bd3721d0910545e2",
        "pa\u00dfw\u00f6rter \ud83d\udd11,"
                + "06827ebfdee7a374429aaec8bc2230d1e8a0ae2256f8cec643fe1c7dd5e49649"
    })
    void keysAreAsTheyWere(String passphrase, String key) {
        Bytes derived = Bytes.of(SMALL.derive(passphrase.toCharArray(), 32));
        assertThat(derived.hex()).isEqualTo(key);
    }

    @Test
    void theEncodingIsAsItWas() throws RefusedException {
        assertThat(SMALL.encode().hex()).isEqualTo(ENCODED);
        assertThat(PassphraseParameters.decode(Bytes.ofHex(ENCODED))).isEqualTo(SMALL);
    }

    @Test
    void thePassphraseAndTheSaltMakeTheKey() throws RefusedException {
        SigningKey key = Samples.key(SignatureAlgorithm.ED25519, "store");
        MasterKey master = MasterKey.ofPassphrase("open sesame".toCharArray(), SMALL);
        SealedKey sealed = SealedKey.seal(key, Samples.STORE, master, new Counting(0));

        PassphraseParameters kept = PassphraseParameters.decode(SMALL.encode());
        MasterKey again = MasterKey.ofPassphrase("open sesame".toCharArray(), kept);
        assertThat(sealed.open(again, Samples.STORE).id()).isEqualTo(key.id());

        MasterKey wrong = MasterKey.ofPassphrase("open simsim".toCharArray(), SMALL);
        assertThatThrownBy(() -> sealed.open(wrong, Samples.STORE))
                .isInstanceOf(RefusedException.class);
        Bytes salt = Bytes.of(new byte[16]);
        MasterKey salted =
                MasterKey.ofPassphrase(
                        "open sesame".toCharArray(), new PassphraseParameters(8 << 10, 2, salt));
        assertThatThrownBy(() -> sealed.open(salted, Samples.STORE))
                .isInstanceOf(RefusedException.class);
    }

    @Test
    void newOnesHaveAnotherSaltEach() {
        SecureRandom random = new SecureRandom();
        PassphraseParameters one = PassphraseParameters.generate(random);
        assertThat(one.memoryKib()).isEqualTo(65_536);
        assertThat(one.passes()).isEqualTo(3);
        assertThat(one.salt()).isNotEqualTo(PassphraseParameters.generate(random).salt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "02" + "01" + "00002000" + "02" + SALT,
                "01" + "02" + "00002000" + "02" + SALT,
                "01" + "01" + "00001fff" + "02" + SALT,
                "01" + "01" + "00100001" + "02" + SALT,
                "01" + "01" + "06400000" + "02" + SALT,
                "01" + "01" + "ffffffff" + "02" + SALT,
                "01" + "01" + "00002000" + "00" + SALT,
                "01" + "01" + "00002000" + "11" + SALT,
                "01" + "01" + "00002000" + "ff" + SALT,
                ENCODED + "00",
                "01" + "01" + "00002000" + "02" + "10111213",
                "",
            })
    void whatIsUnknownOrTakesTooMuchIsRefused(String hex) {
        assertThatThrownBy(() -> PassphraseParameters.decode(Bytes.ofHex(hex)))
                .isInstanceOf(RefusedException.class)
                .hasMessageStartingWith("passphrase parameters, at byte ");
    }

    @Test
    void theLimitsThemselvesAreTaken() throws RefusedException {
        for (String limit : new String[] {"00002000" + "01", "00100000" + "10"}) {
            Bytes bytes = Bytes.ofHex("0101" + limit + SALT);
            assertThat(PassphraseParameters.decode(bytes).encode()).isEqualTo(bytes);
        }
    }

    @Test
    void theLimitsHoldForWhatIsMadeHereToo() {
        Bytes salt = Bytes.ofHex(SALT);
        assertThatThrownBy(() -> new PassphraseParameters(1 << 21, 3, salt))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PassphraseParameters(1 << 16, 17, salt))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new PassphraseParameters(1 << 16, 3, Bytes.EMPTY))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anEmptyPassphraseIsNone() {
        assertThatThrownBy(() -> MasterKey.ofPassphrase(new char[0], SMALL))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the passphrase is empty");
    }

    @Test
    void thePassphraseIsLeftAsItIs() {
        char[] passphrase = "open sesame".toCharArray();
        assertThat(MasterKey.ofPassphrase(passphrase, SMALL)).hasToString("master key");
        assertThat(passphrase).containsExactly("open sesame".toCharArray());
    }
}
