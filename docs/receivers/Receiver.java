// A receiver of Tocsin's webhooks: verifies, answers at once, acts on each delivery once and on none that is late.
// Java 17 or newer, no packages: SECRET='…' PORT=8080 java Receiver.java
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Receiver {
  /** How far the clocks may be apart, and how long an attempt may be on its way. */
  private static final long TOLERANCE_MS = 5 * 60_000;
  /** Ids that are remembered. */
  private static final int IDS_MOST = 10_000;
  private static final int BODY_MOST = 1_000_000;
  private static final Pattern ENCODED =
      Pattern.compile("whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4}))");

  private final List<String> secrets;
  // What has come. In production keep this in your database: it has to outlive a restart.
  private final LinkedHashSet<String> ids = new LinkedHashSet<>();
  private final Map<String, Long> newest = new HashMap<>();

  public Receiver(List<String> secrets) {
    this.secrets = secrets;
  }

  /** Whether one of our secrets signed this body, with its id and the time of the attempt, and not too long ago. */
  public static String verify(Map<String, String> headers, byte[] body, List<String> secrets, long nowMs)
      throws GeneralSecurityException {
    String seconds = headers.getOrDefault("webhook-timestamp", "");
    String start = headers.getOrDefault("webhook-id", "") + "." + seconds + ".";
    boolean isSigned = false;
    for (String secret : secrets) {
      Mac hmac = Mac.getInstance("HmacSHA256");
      hmac.init(new SecretKeySpec(keyOf(secret), "HmacSHA256"));
      hmac.update(start.getBytes(StandardCharsets.UTF_8));
      String expected = "v1," + Base64.getEncoder().encodeToString(hmac.doFinal(body));
      for (String given : headers.getOrDefault("webhook-signature", "").split(" ")) {
        // Compares in constant time.
        isSigned |= MessageDigest.isEqual(expected.getBytes(), given.getBytes(StandardCharsets.UTF_8));
      }
    }
    if (!isSigned) return "forged";
    return Math.abs(nowMs - Long.parseLong(seconds) * 1000) <= TOLERANCE_MS ? "genuine" : "expired";
  }

  /** Secrets apart by spaces: two while one takes the place of the other. */
  static List<String> secretsIn(String text) {
    return Arrays.stream(text.split(" ")).filter(secret -> !secret.isEmpty()).toList();
  }

  /** A secret written whsec_ and base64 stands for the decoded bytes, any other text for itself. */
  private static byte[] keyOf(String secret) {
    Matcher encoded = ENCODED.matcher(secret);
    return encoded.matches()
        ? Base64.getDecoder().decode(encoded.group(1))
        : secret.getBytes(StandardCharsets.UTF_8);
  }

  public synchronized String take(Map<String, String> headers, byte[] body, long nowMs)
      throws GeneralSecurityException {
    String verdict = verify(headers, body, secrets, nowMs);
    if (!verdict.equals("genuine")) return verdict;
    if (!ids.add(headers.get("webhook-id"))) return "repeated";
    if (ids.size() > IDS_MOST) ids.remove(ids.iterator().next());
    // A replay tells of the past: it moves nothing.
    if (headers.containsKey("x-service-replay-of")) return "replay";
    // Set by the channel: {"key": "x-check-id", "value": "{{CHECK_ID}}"}.
    String check = headers.getOrDefault("x-check-id", "");
    long createdMs = Long.parseLong(headers.get("x-service-timestamp"));
    if (createdMs < newest.getOrDefault(check, 0L)) return "late";
    newest.put(check, createdMs);
    return "accepted";
  }

  /** What you do about an alert. It runs after the answer: Tocsin waits 30 s at most, and then sends again. */
  private static void act(String outcome, Map<String, String> headers, byte[] body) {
    String id = headers.getOrDefault("webhook-id", "").replaceAll("[^\\w-]", "");
    System.out.printf("{\"outcome\":\"%s\",\"id\":\"%s\",\"bytes\":%d}%n", outcome, id, body.length);
  }

  private void answer(HttpExchange exchange, ExecutorService worker) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readNBytes(BODY_MOST);
      Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
      exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
      String outcome = take(headers, body, System.currentTimeMillis());
      boolean isRefused = outcome.equals("forged") || outcome.equals("expired");
      exchange.sendResponseHeaders(isRefused ? 400 : 200, -1);
      worker.execute(() -> act(outcome, headers, body));
    } catch (GeneralSecurityException fault) {
      throw new IOException(fault);
    }
  }

  public static void main(String[] args) throws IOException {
    Map<String, String> environment = System.getenv();
    Receiver receiver = new Receiver(secretsIn(environment.getOrDefault("SECRET", "")));
    ExecutorService worker = Executors.newSingleThreadExecutor();
    int port = Integer.parseInt(environment.getOrDefault("PORT", "8080"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 100);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.createContext("/", exchange -> receiver.answer(exchange, worker));
    server.start();
    System.out.println("listening");
  }
}
