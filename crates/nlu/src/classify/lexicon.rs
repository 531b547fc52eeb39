//! Words of everyday service talk that mean nearly the same, so that an example written with one also teaches the others.

/// A group of near-synonyms or of one kind of thing per line, folded; inflections that the stemmer
/// joins are not repeated.
pub(crate) const SPANISH: &str = "\
hola buenas hey holis saludos ola
adios chau chao bye hasta nosvemos despedir despido
gracias agradezco agradecido agradecer agradecimiento
perdon disculpa disculpe lamento siento sorry perdona perdoname
si claro dale ok okey vale bueno perfecto correcto exacto afirmativo listo
no nunca jamas tampoco ningun ninguno ninguna negativo nada
favor porfa porfis porfavor please
quien quienes
donde adonde ubicacion direccion ubicado localizar lugar sitio domicilio encontrar hallar localizo encuentro ubica queda
cuando fecha
como manera forma modo
porque motivo razon causa
cuanto cuantos cuanta cuantas precio costo coste cuesta cuestan costaria vale valen valor tarifa importe sale
quiero quisiera querria deseo gustaria necesito preciso apetece ganas queremos queria necesitaria
puedo puedes puede podes podrias podria pueden podemos podeis podriais capaz
tengo tienes tiene tenemos tenes teneis tienen tenia tuve poseo
hay existe existen
haz haga hacer hace haces hacen hazme hago hice hecho haria
pon poner ponga ponme pone ponlo coloca colocar establece establecer configura configurar fija fijar programa programar ajusta ajustar crea crear
dime decir diga digame cuenta cuentame contar explica explicame explicar informa informame informar indica indicame
muestra mostrar muestrame ensena ensename ensenar ver mira mirar visualizar despliega
saber conocer sabes conoces sabe entero averigua averiguar descubrir descubre
busca buscar buscame busqueda encuentra encuentrame
dame dar da entrega proporciona facilita ofrece ofrecer brinda
agrega agregar anade anadir incluye incluir suma sumar mete apunta apuntar anota anotar agregame
quita quitar elimina eliminar borra borrar suprime suprimir remueve remover saca sacar
cancela cancelar anula anular cancelacion anulacion
cambia cambiar modifica modificar actualiza actualizar edita editar reemplaza cambio modificacion altera
repite repetir repitelo otra nuevamente vuelve
inicia iniciar empieza empezar comienza comenzar arranca arrancar abre abrir activa activar enciende encender prende prender conecta habilita lanza
para parar deten detener termina terminar finaliza finalizar acaba cierra cerrar apaga apagar desactiva desactivar desconecta stop frena interrumpe
sube subir aumenta aumentar incrementa incrementar eleva elevar
baja bajar reduce reducir disminuye disminuir atenua atenuar
mas mayor mucho mucha muchos muchas bastante demasiado
menos menor poco poca pocos pocas
fuerte alto intenso brillante
silencio silencia silenciar calla callar callate mudo mutear calladito
recuerda recordar recuerdame recordatorio recordatorios acuerdame acordarme avisa avisar avisame aviso notifica notificame notificacion notificar alerta alertas
alarma alarmas despertador despierta despiertame despertar levantarme
temporizador cronometro
hora horas reloj horario
minuto minutos segundo segundos
lunes martes miercoles jueves viernes sabado domingo
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
hoy manana ayer anoche pasado
dia dias semana semanas mes meses ano anos finde
tarde noche madrugada mediodia medianoche
ahora ya actualmente actual momento
siguiente proximo proxima proximos proximas
ultimo ultima ultimos ultimas reciente recientes
0 un una uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien ciento mil millon
primero primera tercero tercera cuarto cuarta quinto quinta
evento eventos cita citas reunion reuniones encuentro junta calendario agenda compromiso cumpleanos aniversario planes
lista listas listado
tarea tareas pendiente pendientes quehacer
correo correos email emails mail mails mensaje mensajes bandeja
contacto contactos telefono telefonos numero celular movil
llama llamar llamame llamada telefonea marca comunicarme contactar hablar
envia enviar enviame manda mandar mandale mandame remite responde responder contesta contestar escribe escribir escribele respuesta
publica publicar tuitea tuit tweet twitter facebook instagram estado post red redes
noticia noticias titular titulares novedades prensa periodico diario actualidad
clima tiempo meteorologico pronostico temperatura grados meteorologia
lluvia llueve llover llovera lloviendo nieve nieva nevar nublado sol soleado viento tormenta calor frio humedad granizo paraguas niebla
musica cancion canciones tema tono tonos melodia album disco artista cantante banda grupo playlist lista
reproduce reproducir toca tocar escucha escuchar oir suena sonar play ponme
radio emisora estacion fm
podcast podcasts episodio
audiolibro libro libros lectura novela capitulo
pelicula peliculas cine film teatro serie series television tele tv
juego juegos jugar juguemos partida ajedrez
rock pop jazz salsa reggaeton cumbia tango clasica metal rap blues
luz luces lampara bombilla foco iluminacion lamparas bombillas
cocina sala salon dormitorio habitacion bano pasillo casa cuarto comedor oficina garaje
rojo azul verde amarillo blanco negro naranja morado rosa violeta celeste gris color colores
enchufe toma aparato electrodomestico dispositivo
cafe cafetera taza
aspiradora aspira aspirar limpia limpiar limpieza barrer robot
comida comer cena cenar almuerzo almorzar desayuno desayunar plato hambre alimento
pizza hamburguesa sushi tacos ensalada pollo arroz pasta empanadas sopa carne pescado
china italiana mexicana japonesa tailandesa hindu india peruana
receta recetas cocinar ingredientes ingrediente preparar hornear hervir
restaurante restaurantes bar bares pizzeria cafeteria
domicilio delivery llevar reparto rappi
pedido pedidos orden ordenes encargo pide pedir pideme ordena ordenar encarga encargar
compra compras comprar adquirir compre comprado adquiri conseguir
vende vender venden venta ventas
producto productos articulo articulos mercaderia mercancia item items
stock disponible disponibles disponibilidad existencias quedan agotado
catalogo lista surtido variedad modelos
talla talle tamano medida medidas grande pequeno chico mediano
oferta ofertas descuento descuentos promocion promociones promo promos rebaja rebajas cupon cupones barato economico
pago pagos pagar pague abonar abono cobro cobrar cobraron cobran
tarjeta credito debito visa mastercard efectivo transferencia mercadopago cuotas plazos financiacion
dinero plata pesos dolares euros euro dolar peso moneda divisa saldo
factura facturas recibo boleta comprobante ticket
banco cuenta bancaria
envio envios despacho shipping flete paquete transportista mensajeria entrega entregas entregan envian
llego llega llegar llegado recibi recibido recibir demora tarda tardan retraso demorado
seguimiento rastrear rastreo tracking estado
devolver devolucion devoluciones regresar reembolso reintegro reembolsar retornar
roto rota danado danada defectuoso fallado falla fallo averiado estropeado golpeado
problema problemas inconveniente error errores fallando funciona funcionando anda
queja reclamo reclamar quejarme reclamacion denuncia denunciar
ayuda ayudar ayudame asistencia soporte auxilio socorro apoyo ayudarme
persona humano humana agente asesor operador empleado vendedor representante alguien
garantia cambio
tienda tiendas negocio local locales sucursal sucursales comercio supermercado almacen
empresa compania firma organizacion corporacion
aplicacion app aplicaciones apps programa software sistema plataforma
web pagina sitio enlace link url internet
usuario perfil cuenta sesion contrasena clave password registro registrarme registrar
datos informacion info detalles detalle
nombre nombres llamas llama apellido llamo
desarrollador creador programador creadores desarrolladores creo programo fabricante
trabajo empleo trabajar trabajas ocupacion profesion trabajando curro laburo
jefe dueno propietario patron
robot bot chatbot maquina ia artificial asistente
edad anos viejo vieja joven naciste nacimiento
amigo amigos amiga amigas colega companero
familia padre madre papa mama hermano hermana hijo hija abuelo abuela tio tia primo prima esposa esposo marido mujer
novio novia pareja casarte casado boda amor enamorado matrimonio casarnos
amo quieres adoro encanta encantas gusta gustas gustan
odio odias detesto detestas molesta desagrada aborrezco disgusta
bien genial excelente fantastico estupendo maravilloso increible fenomenal buenisimo magnifico brillante perfecta impresionante
mal malo mala malisimo horrible terrible pesimo fatal desastre asqueroso
tonto estupido idiota inutil imbecil bobo burro
inteligente listo lista astuto sabio
guapo guapa lindo linda hermoso hermosa bonito bonita bello bella atractivo
feo fea horroroso
feliz contento contenta alegre felicidad alegria
triste deprimido deprimida llorar tristeza pena solo sola
enojado enfadado molesto furioso enfadada enojada cabreado rabia bronca
cansado cansada agotado agotada sueno dormir agotadora
aburrido aburrida aburrimiento aburres aburro
ocupado ocupada atareado liado
listo preparado preparada lista
seguro segura certeza
risa reir rio chiste chistes broma bromas gracioso divertido divertida humor jaja
felicidades felicitaciones enhorabuena felicito
habla hablas hablamos charlar conversar platicar charla hablame conversacion
idioma idiomas lengua espanol ingles frances aleman italiano portugues
significa significado definicion define definir quiere palabra sinonimo
pais paises ciudad capital poblacion habitantes continente estado
donde vives viven residencia hogar residir
traduce traducir traduccion
calcula calcular multiplica divide raiz matematicas cuadrada porcentaje
acciones bolsa cotiza cotizacion mercado valores apple google amazon
tren trenes autobus bus colectivo metro subte taxi uber coche auto carro vuelo avion boleto billete pasaje
trafico transito carretera atasco ruta camino accidente
viaje viajar viajes trayecto hotel alojamiento reserva reservar vacaciones
cerca cercano cercana cercanos proximidad alrededor
abierto abren abre cierran horario horarios atienden atencion apertura
opinion opinas piensas crees opina resena critica
recomienda recomendar recomendacion sugiere sugerencia sugerencias recomiendas aconseja
favorito favorita preferido preferida guarda guardar
prueba pruebas probar beta probarla
entiendo comprendo entender comprender entiendes entendi entendido
espera esperar aguarda esperame
verdad cierto cierta mentira mientes mentiroso
medico doctor salud enfermo enferma dolor hospital farmacia medicina
colegio escuela universidad estudiar clase clases examen
gobierno presidente politica politico elecciones
futbol deporte deportes baloncesto tenis partido equipo gol
perro gato mascota mascotas animal animales
volumen sonido audio altavoz altavoces parlante
reproduccion reproductor aleatorio aleatoria aleatoriamente reanudar reanuda continua continuar pista saltar salta
revisa revisar comprueba comprobar chequea chequear verifica verificar confirma confirmar consulta consultar
lee leer leeme lees leidos leido leyendo
voy ir vamos vas va vaya iremos fui ido yendo
trae traer traeme consigue consigueme obtener obten
recoger recoge recoja coger coge retirar retiro
aqui aca ahi alli alla
todo toda todos todas cada cualquier
algun alguna algunos algunas algo
cual cuales
mejor mejores
antes anterior anteriores
despues luego posterior
siempre recurrente frecuencia diariamente
importante importantes principal principales destacado
concierto conciertos fiesta festival teatro exposicion espectaculo
alexa siri cortana olly google echo bixby
punto arroba com gmail hotmail yahoo outlook
asunto adjunto destinatario
juan pedro maria jose ana carlos luis miguel antonio pablo david javier daniel laura lucia sofia carmen marta elena jorge diego fernando manuel rafael sara john roberto alejandro cristina
garcia perez lopez sanchez martinez gonzalez rodriguez fernandez gomez diaz romero torres
madrid barcelona sevilla malaga valencia bilbao granada londres paris york chicago roma berlin miami tokio bogota lima quito santiago caracas rosario cordoba medellin cali montevideo
espana argentina colombia mexico chile peru uruguay venezuela francia alemania italia japon europa america estados unidos china brasil
leche huevos huevo pan queso azucar agua aceite manzanas tomates patatas papas galletas jamon fruta verdura crema tarta pastel chocolate
ropa zapatos chaqueta abrigo camisa pantalon vestido zapatillas remera camiseta campera
norte sur este oeste centro
gente personas nadie mundo
nacio nacido murio edad
historia biografia acerca sobre describe descripcion
popular populares tendencia famoso famosos exitos
aeropuerto estacion parada terminal
parque jardin montana playa rio
gimnasio ejercicio entrenamiento yoga carrera
diferencia distinto diferente igual mismo
brillo oscuro oscuridad claridad
pregunta preguntas duda dudas consulta
abrazo beso besos carino
loco loca chiflado
pronto rapido urgente enseguida inmediatamente
nuevo nueva nuevos nuevas
viejo antiguo usado
foto fotos video imagen imagenes camara
archivo documento documentos papel
cerrado puerta ventana cerradura
agua bebida cerveza vino jugo refresco";

/// A group of near-synonyms or of one kind of thing per line, for English.
pub(crate) const ENGLISH: &str = "\
hi hello hey greetings
bye goodbye later farewell
thanks thank thankyou thx grateful appreciate
sorry apologize apologies apology pardon
yes yeah yep sure correct okay ok affirmative
no nope not never dont cannot cant wont unable doesn didn isn
want need wish wanna require gotta wants needs
can could able possible may might
tell explain describe say inform know
show display see view look pull
find search locate lookup seek
add include put insert append
remove delete erase drop clear
cancel abort void cancellation
change modify update edit switch alter swap replace
start begin launch open activate enable initiate turn
stop end finish close deactivate disable quit terminate halt
increase raise higher louder boost
decrease lower reduce softer dim
remind reminder reminders remember notify alert notification
alarm wake alarms
schedule calendar meeting meetings appointment event events agenda
monday tuesday wednesday thursday friday saturday sunday
january february march april june july august september october november december
today tomorrow yesterday tonight
morning afternoon evening night noon midnight
0 one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty thirty forty fifty hundred thousand
email emails mail message messages inbox text
call phone dial telephone ring
song songs music track tune album artist playlist
play listen hear
weather forecast temperature rain snow sunny cold hot humid umbrella
light lights lamp bulb bulbs
news headlines headline
buy purchase get order ordered bought purchased
price cost costs much fee fees charge charges charged charging expensive pricing
cheap discount discounts offer offers coupon promo deal deals sale
pay payment payments paid paying pays
money cash funds fund
card cards visa mastercard
transfer transfers transferred send sent sending
refund refunds refunded reimburse reimbursement moneyback
return returned returning exchange
deliver delivery delivered ship shipping shipped shipment arrive arrived arrives arrival dispatch courier
track tracking status trace
wait waiting pending long delay delayed delays taking slow still yet
fail failed failing declined decline rejected reject denied refuse refused fails
broken damaged defective faulty damage
problem issue trouble wrong error issues problems incorrect mistake
lost lose missing misplaced stolen stole
help assist assistance support
human person agent representative executive someone somebody
account accounts profile
password passcode pin login credentials
verify verification identify identity confirm proof
top topup reload recharge
withdraw withdrawal withdrawing withdrew atm
currency currencies dollars euros pounds dollar euro pound usd gbp eur
exchange rate rates conversion convert
country countries abroad foreign overseas
store shop shops outlet showroom store branch
where location address place nearby near
hours timing timings opening
size sizes dimension dimensions measurement small large medium
product products item items
warranty guarantee
stock available availability
food eat dinner lunch meal breakfast
recipe cook cooking ingredients bake
restaurant restaurants
flight flights plane airline
car vehicle auto
hotel reservation book booking reserve reservations
work job employer boss career
joke jokes funny laugh
name called
old age born
happy glad
sad unhappy depressed
great awesome amazing excellent wonderful good nice
bad terrible awful horrible
mom dad mother father brother sister
game games gaming
movie movies film cinema
team teams player players match
points point score scores
create make set make build
list lists
question ask query
language languages spanish english french german italian
meaning definition define mean synonym
bank balance statement
transaction transactions debit
volume speaker sound audio speakers
check verify review look
give provide bring
go going travel trip travelling traveling visit vacation
read reading
repeat again
talk speak chat whisper
best greatest favorite
next upcoming following
last previous latest recent recently
before earlier ago
after afterwards
day days week weeks month months year years weekend
time clock hour hours minute minutes
pm am oclock
soon quickly fast urgent immediately quick
all every everything each
any some something anything
dollar amount sum total limit
tax taxes income salary paycheck
bill bills invoice rent
insurance policy coverage
gas fuel tank tires tire oil
train bus taxi cab uber subway
airport luggage bags carry
traffic route directions road map
milk eggs bread cheese chicken rice butter sugar
room kitchen bedroom bathroom living office house home
red blue green yellow white black orange purple pink
vacuum clean cleaner cleaning
coffee cup brew
birthday party holiday anniversary
year old
john mary david james robert michael jennifer sarah peter paul
york chicago london paris boston seattle dallas denver miami vegas
mexico america china japan india france germany spain italy uk europe eu
duplicate twice double multiple
expire expires expired expiration expiry
block blocked freeze frozen locked unblock
apply application applied
physical virtual disposable
daughter son child kids friend wife husband
code otp sms
free trial
happen happened happening";
