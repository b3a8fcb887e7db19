package io.volute.server.s3.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.ObjectAttributes.Algorithm;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.crt.checksums.CRC64NVME;

/** Checksums against published values, another implementation, and each other. */
final class ChecksumTest {
    private static final byte[] CHECK = "123456789".getBytes(StandardCharsets.US_ASCII);

    @ParameterizedTest
    @CsvSource({
        "CRC32,cbf43926",
        "CRC32C,e3069283",
        "CRC64NVME,ae8b14860a799888",
        "SHA1,f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        "SHA256,15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
    })
    void hasThePublishedCheckValues(Algorithm algorithm, String expected) {
        RunningChecksum checksum = RunningChecksum.of(algorithm);
        checksum.update(CHECK, CHECK.length);
        assertThat(HexFormat.of().formatHex(checksum.finish())).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void doesNotDependOnHowBytesArrive(Algorithm algorithm) {
        Random random = new Random(17);
        byte[] bytes = new byte[5000];
        random.nextBytes(bytes);
        RunningChecksum whole = RunningChecksum.of(algorithm);
        whole.update(bytes, bytes.length);
        byte[] expected = whole.finish();
        for (int round = 0; round < 20; round++) {
            RunningChecksum pieces = RunningChecksum.of(algorithm);
            for (int at = 0; at < bytes.length; ) {
                int count = Math.min(bytes.length - at, random.nextInt(40));
                pieces.update(Arrays.copyOfRange(bytes, at, at + count + 3), count);
                at += count;
            }
            assertThat(pieces.finish()).isEqualTo(expected);
        }
    }

    @Test
    void crc64AgreesWithTheAwsRuntime() {
        Random random = new Random(23);
        for (int i = 0; i < 200; i++) {
            byte[] bytes = new byte[random.nextInt(300)];
            random.nextBytes(bytes);
            CRC64NVME oracle = new CRC64NVME();
            oracle.update(bytes, 0, bytes.length);
            Crc64Nvme ours = new Crc64Nvme();
            int cut = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
            ours.update(bytes, 0, cut);
            ours.update(bytes, cut, bytes.length - cut);
            assertThat(ours.getValue()).isEqualTo(oracle.getValue());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Algorithm.class,
            names = {"CRC32", "CRC32C", "CRC64NVME"})
    void combinesPiecesOfAnyLength(Algorithm algorithm) {
        Random random = new Random(31);
        CrcCombination combination = CrcCombination.of(algorithm);
        for (int i = 0; i < 300; i++) {
            byte[] bytes = new byte[random.nextInt(2000)];
            random.nextBytes(bytes);
            int cut = bytes.length == 0 ? 0 : random.nextInt(bytes.length + 1);
            long combined =
                    combination.combine(
                            value(algorithm, bytes, 0, cut),
                            value(algorithm, bytes, cut, bytes.length),
                            bytes.length - cut);
            assertThat(combined).isEqualTo(value(algorithm, bytes, 0, bytes.length));
        }
    }

    private static long value(Algorithm algorithm, byte[] bytes, int begin, int end) {
        RunningChecksum checksum = RunningChecksum.of(algorithm);
        checksum.update(Arrays.copyOfRange(bytes, begin, end), end - begin);
        long value = 0;
        for (byte b : checksum.finish()) {
            value = value << 8 | b & 0xFF;
        }
        return value;
    }
}
