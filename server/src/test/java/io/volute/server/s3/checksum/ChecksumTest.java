package io.volute.server.s3.checksum;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.versioning.value.ObjectAttributes.Algorithm;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.crt.checksums.CRC64NVME;
import software.amazon.awssdk.crt.checksums.XXHash;

/** Checksums against published values, another implementation, and each other. */
final class ChecksumTest {
    private static final byte[] CHECK = "123456789".getBytes(StandardCharsets.US_ASCII);

    @ParameterizedTest
    @CsvSource({
        "CRC32,cbf43926",
        "CRC32C,e3069283",
        "CRC64NVME,ae8b14860a799888",
        "SHA1,f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        "SHA256,15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
        "SHA512,d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274a"
                + "d27fcd5811b313d681f7e55ec02d73d499c95455b6b5bb503acf574fba8ffe85",
        "MD5,25f9e794323b453885f5181f1b624d0b",
        "XXHASH64,8cb841db40e6ae83",
        "XXHASH3,72dcb18b67a17dff",
        "XXHASH128,33119477ede5dcd5e9716427681d5860"
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

    /** Covers all cases by which xxHash treats lengths, up to several of its blocks. */
    @Test
    void xxHashAgreesWithTheAwsRuntime() {
        Random random = new Random(29);
        for (int bytes = 0; bytes < 3000; bytes += 1 + bytes / 100) {
            byte[] source = new byte[bytes];
            random.nextBytes(source);
            assertThat(whole(Algorithm.XXHASH64, source)).isEqualTo(XXHash.computeXXHash64(source));
            assertThat(whole(Algorithm.XXHASH3, source))
                    .isEqualTo(XXHash.computeXXHash3_64(source));
            assertThat(whole(Algorithm.XXHASH128, source))
                    .isEqualTo(XXHash.computeXXHash3_128(source));
        }
    }

    private static byte[] whole(Algorithm algorithm, byte[] source) {
        RunningChecksum checksum = RunningChecksum.of(algorithm);
        checksum.update(source, source.length);
        return checksum.finish();
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
