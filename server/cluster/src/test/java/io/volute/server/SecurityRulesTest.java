package io.volute.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.codeUnits;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.volute.adminapi.signing.RequestSigner;
import io.volute.server.encryption.DataKey;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Code that could make an attack possible is forbidden. Think hard before changing this. */
@Tag("slow")
class SecurityRulesTest {
    private static final Set<String> COMPARISONS =
            Set.of("equals", "equalsIgnoreCase", "contentEquals", "compareTo", "compare");

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    // The test beds of the modules below.
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages(
                            "io.volute.server", "io.volute.versioning", "io.volute.adminapi");

    /**
     * The time of a comparison that ends at the first difference reveals how much of a guess was
     * right. Code that computes a signature must compare it with {@link MessageDigest#isEqual} in
     * the same place, unless it is the signer, or derives keys.
     */
    private static final ArchRule SIGNATURES =
            codeUnits()
                    .that()
                    .areDeclaredInClassesThat()
                    .doNotBelongToAnyOf(RequestSigner.class, DataKey.class)
                    .and()
                    .areDeclaredInClassesThat()
                    .doNotHaveFullyQualifiedName("io.volute.server.cluster.hop.HopSigner")
                    .should(compareWhatTheySignInConstantTime());

    @Test
    void signaturesAreComparedInConstantTime() {
        SIGNATURES.check(CLASSES);
    }

    @Test
    void aComparisonOfSignaturesThatEndsEarlyIsFound() {
        JavaClasses planted = new ClassFileImporter().importClasses(Early.class, NotCompared.class);
        assertThat(SIGNATURES.evaluate(planted).getFailureReport().getDetails())
                .hasSize(2)
                .anySatisfy(line -> assertThat(line).contains("Early").contains("equals"))
                .anySatisfy(line -> assertThat(line).contains("NotCompared"));
    }

    @Test
    void authenticationLogsNothing() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.server.auth..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.slf4j..", "java.util.logging..")
                .check(CLASSES);
    }

    @Test
    void requestsAreNotDecompressed() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty.handler.codec.compression..")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching(
                        ".*HttpContentDecompressor|java\\.util\\.zip\\.(Inflater|GZIP|Zip).*")
                .check(CLASSES);
    }

    @Test
    void keysAreNeverNamesOfFiles() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        "io.volute.server.s3..",
                        "io.volute.server.auth..",
                        "io.volute.versioning..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.nio.file..")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.io\\.(File|FileInputStream|FileReader)")
                .check(CLASSES);
    }

    @Test
    void documentsAreReadByOneClass() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.volute.server.s3.xml..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("javax.xml..", "org.xml..", "org.w3c..", "com.ctc..")
                .check(CLASSES);
    }

    @Test
    void nothingOfARequestIsRunOrLookedUp() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("javax.naming..", "java.sql..", "javax.script..", "java.rmi..")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.Process(Builder)?|java\\.lang\\.Runtime\\$.*")
                .check(CLASSES);
    }

    @Test
    void noConnectionIsOpened() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.net\\.(URL|URLConnection|HttpURLConnection|DatagramSocket)"
                                + "|io\\.netty\\.bootstrap\\.Bootstrap")
                .check(CLASSES);
    }

    /** Keys of the provider are fetched, webhooks called, replicas sent; settings name all. */
    @Test
    void socketsAreOfFewClasses() {
        noClasses()
                .that()
                .haveNameNotMatching(
                        // A trust manager has sockets as parameters.
                        "io\\.volute\\.adminapi\\.tls\\.Authorities.*"
                                + "|io\\.volute\\.server\\.(cluster\\.hop\\.HopConnection"
                                + "|http\\.HttpServer|outbound\\.(Tls|HttpConnection))")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.net.Socket")
                .check(CLASSES);
        // It binds a socket to look for a free port.
        noClasses()
                .that()
                .haveSimpleName("HttpServer")
                .should()
                .callMethod(Socket.class, "connect", SocketAddress.class)
                .orShould()
                .callMethod(Socket.class, "connect", SocketAddress.class, int.class)
                .orShould()
                .callConstructor(Socket.class, String.class, int.class)
                .orShould()
                .callConstructor(Socket.class, InetAddress.class, int.class)
                .check(CLASSES);
    }

    private static ArchCondition<JavaCodeUnit> compareWhatTheySignInConstantTime() {
        return new ArchCondition<>("compare what they sign by MessageDigest.isEqual only") {
            @Override
            public void check(JavaCodeUnit unit, ConditionEvents events) {
                Set<String> called =
                        unit.getCallsFromSelf().stream()
                                .map(SecurityRulesTest::nameOf)
                                .collect(Collectors.toSet());
                boolean signs =
                        called.contains("SigningKey.sign") || called.contains("Mac.doFinal");
                boolean isPrimitive = unit.getOwner().getSimpleName().equals("SigningKey");
                if (!signs || isPrimitive) {
                    return;
                }
                boolean endsEarly =
                        called.stream()
                                .anyMatch(
                                        name ->
                                                COMPARISONS.contains(
                                                        name.substring(name.indexOf('.') + 1)));
                if (endsEarly || !called.contains("MessageDigest.isEqual")) {
                    events.add(
                            SimpleConditionEvent.violated(
                                    unit, unit.getFullName() + " signs and calls " + called));
                }
            }
        };
    }

    private static String nameOf(JavaAccess<?> access) {
        return access.getTargetOwner().getSimpleName() + "." + access.getName();
    }

    /** Planted. */
    static final class Early {
        static boolean holds(Mac mac, byte[] signature) {
            byte[] expected = mac.doFinal();
            return MessageDigest.isEqual(expected, signature) || Arrays.equals(expected, signature);
        }
    }

    /** A planted breach: its callers compare the computed bytes by other means. */
    static final class NotCompared {
        static byte[] expected(Mac mac) {
            return mac.doFinal();
        }
    }
}
